// Logs of present jobs are read anew, those of past runs from the history.
#include "cli/output/metric_sources.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "base/file/own_file.h"
#include "base/loop/wait_limit.h"
#include "base/text/text.h"
#include "history/find_run.h"
#include "history/log_archive.h"
#include "kube/stream/log_stream.h"
#include "logs/archive_writer.h"
#include "logs/container_runs.h"
#include "manifest/array.h"
#include "manifest/kind/replica.h"
#include "metrics/job_metrics.h"
#include "status/pod_state.h"
#include "status/state.h"
#include "work/find/batch_fetch.h"
#include "work/find/find_job.h"
#include "work/find/job_lists.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_most_text = std::size_t{64} << 20U;

// Lines may begin with a time, as `logs --timestamps` prints them.
MetricSource metrics_of_text(std::string name, std::string_view text,
                             const job::MetricPatterns& own) {
  job::JobMetrics metrics(own);
  kube::StampReader stamps;
  Time printed{};
  bool has_times = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const kube::LogLine line = stamps.read(text.substr(0, end));
    if (line.stamp) {
      printed = *line.stamp;
      has_times = true;
    }
    metrics.take({{}, std::nullopt, 1, printed, line.text});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {std::move(name), metrics.record(), has_times};
}

Result<MetricSource> metrics_of_file(Context& context, const std::string& path,
                                     const job::MetricPatterns& own) {
  if (path == "-") {
    TRY_ASSIGN(const std::string text, context.console.read_all(k_most_text));
    return metrics_of_text("stdin", text, own);
  }
  TRY_ASSIGN(const std::string text, context.files.read(path));
  return metrics_of_text(path.substr(path.rfind('/') + 1), text, own);
}

bool has_points(const job::MetricRecord& record) {
  return std::ranges::any_of(
      record.series, [](const job::MetricSeries& series) { return !series.points().empty(); });
}

struct MetricLines : kube::LineSink {
  MetricLines(const job::ReplicaState& replica, int attempt, job::JobMetrics& metrics)
      : replica(replica), attempt(attempt), metrics(metrics) {}
  void on_line(const kube::LogLine& line) override {
    metrics.take({replica.id, replica.rank, attempt, line.stamp.value_or(Time{}), line.text});
  }
  void on_end(const std::optional<kube::Failure>& failure) override {
    outcome = failure ? Status(failure->error) : Status();
  }

  const job::ReplicaState& replica;
  int attempt;
  job::JobMetrics& metrics;
  std::optional<Status> outcome;
};

// Reads one run of a container as it is now.
Status read_log(Context& context, kube::Client& client, const kube::LogQuery& query,
                MetricLines lines) {
  const HandlePtr reading = kube::open_log(client, query, lines);
  WaitLimit limit(context.loop, std::nullopt);
  TRY(limit.run_until([&lines] { return lines.outcome.has_value(); }));
  return *lines.outcome;
}

Status read_replica(Context& context, const work::FoundJob& found, const Json& pod,
                    const job::ReplicaState& replica, job::JobMetrics& metrics) {
  TRY_ASSIGN(kube::Client * client, context.client());
  TRY_ASSIGN(const job::LogContainer container,
             job::log_container(*found.kind, pod, replica.id.name(), ""));
  const Json* const status = job::container_status(pod, container.name);
  if (status == nullptr) return {};
  const auto restarts = static_cast<int>(int_at(*status, "/restartCount").value_or(0));
  kube::LogQuery query;
  query.ns = found.ns();
  query.pod = text_at(pod, "/metadata/name");
  query.container = container.name;
  query.pod_uid = text_at(pod, "/metadata/uid");
  if (restarts > 0) {
    query.previous = true;
    // A node need not keep the log of the run before.
    (void)read_log(context, *client, query, {replica, restarts, metrics});
    query.previous = false;
  }
  return read_log(context, *client, query, {replica, restarts + 1, metrics});
}

// Rank 0 prints metrics in most programs, the last rank in some. Reads no more logs than needed.
std::vector<const job::ReplicaState*> in_order_of_reading(const job::JobState& state) {
  constexpr std::size_t k_most = 8;
  std::vector<const job::ReplicaState*> order;
  for (const job::ReplicaState& replica : state.replicas) order.push_back(&replica);
  std::ranges::stable_sort(
      order, {}, [](const job::ReplicaState* replica) { return replica->rank.value_or(1); });
  if (order.size() > 2) std::ranges::rotate(order.begin() + 1, order.end() - 1, order.end());
  if (order.size() > k_most) order.resize(k_most);
  return order;
}

// The metrics of a run that a list of the history gave, without points.
MetricSource metrics_of_listed(Context& context, const work::PastRun& run,
                               const job::MetricPatterns& own) {
  const auto whole = context.history->find(run.number);
  return metrics_of_run(context, whole ? *whole : run, own);
}

Result<std::vector<MetricSource>> metrics_of_jobs(Context& context, const std::string& word,
                                                  const job::MetricPatterns& own) {
  TRY_ASSIGN(const job::JobRef ref, work::job_ref(word, nullptr));
  TRY_ASSIGN(auto found, work::find_job_or_array(context, ref));
  std::vector<MetricSource> sources;
  for (const work::FoundJob& one : work::latest_runs(context, std::move(found))) {
    TRY_ASSIGN(MetricSource source, metrics_of_job(context, one, own));
    sources.push_back(std::move(source));
  }
  return sources;
}

// Looks a name of a job or an array up in the history. `gone`: why the cluster has none.
Result<std::vector<MetricSource>> metrics_of_history(Context& context, const std::string& word,
                                                     const job::MetricPatterns& own, Error gone) {
  if (!context.history) return gone;
  const auto run = work::find_run(context, word);
  if (run) return std::vector{metrics_of_run(context, *run, own)};
  auto members = work::runs_of_array(*context.history, context.named_ns(), word);
  if (members.empty()) return gone;
  std::set<std::string> seen;  // the newest run of each job
  std::erase_if(members,
                [&seen](const work::PastRun& one) { return !seen.insert(one.uid).second; });
  std::vector<MetricSource> sources;
  for (auto one = members.rbegin(); one != members.rend(); ++one) {
    sources.push_back(metrics_of_listed(context, *one, own));
  }
  return sources;
}

// `gone`: why no job has this name.
Error nothing_named(Context& context, const std::string& word, Error gone) {
  const bool may_be_file = word.find_first_of("/.") != std::string::npos;
  if (gone.code != Code::not_found && !(gone.code == Code::usage && may_be_file)) return gone;
  if (context.files.exists(word)) {
    gone.hint = cat("for the file of that name: trainctl plot ", shell_quoted("./" + word));
  } else if (may_be_file) {
    return {Code::not_found, cat("no job, run or file is named ", printable_line(word)),
            "trainctl get lists jobs, trainctl history runs"};
  }
  return gone;
}

}  // namespace

// The history keeps the metrics of a run that was followed, and the log where it was printed.
MetricSource metrics_of_run(Context& context, const work::PastRun& run,
                            const job::MetricPatterns& own) {
  MetricSource source{cat(run.name, " (run ", run.number, ")"), {}, true, false, run.number};
  source.values = run.origin.array_values;
  if (source.values.empty()) source.values = job::member_values(run.manifest);
  if (!run.metrics.is_null()) source.record = job::read_metrics(run.metrics);
  if (has_points(source.record) && own.empty()) return source;
  const auto file = work::archived_log_path(context.environment, run.uid);
  const auto content = read_own_file(context.files, file);
  const job::Kind* kind = job::find_kind(run.kind);
  if (!content || kind == nullptr) return source;
  source.record = job::metrics_of(*kind, job::read_archived_lines(*content), own);
  return source;
}

Result<MetricSource> metrics_of_pods(Context& context, const work::FoundJob& job,
                                     const std::vector<Json>& pods, const job::JobState& state,
                                     const job::MetricPatterns& own) {
  MetricSource source{job.name(), {}, true, !job::is_final(state.phase)};
  source.values = job::member_values(job.object);
  Status unread;
  for (const job::ReplicaState* replica : in_order_of_reading(state)) {
    const auto pod = std::ranges::find_if(pods, [replica](const Json& one) {
      return text_at(one, "/metadata/uid") == replica->pod.uid;
    });
    if (pod == pods.end()) continue;
    job::JobMetrics metrics(own);
    Status read = read_replica(context, job, *pod, *replica, metrics);
    if (!read && unread) unread = std::move(read);
    source.record = metrics.record();
    source.record.network = join(metrics.network().faults(job::spans_nodes(state)), "; ");
    if (!source.record.series.empty()) return source;
  }
  if (!context.history) return unread ? Result<MetricSource>(source) : unread.error();
  const auto run = work::newest_run(context, {job.kind, job.name(), ""});
  if (run && run->uid == job.uid()) source.record = metrics_of_listed(context, *run, own).record;
  if (source.record.series.empty() && !unread) return unread.error();
  return source;
}

Result<MetricSource> metrics_of_job(Context& context, const work::FoundJob& job,
                                    const job::MetricPatterns& own) {
  TRY_ASSIGN(kube::Client * client, context.client());
  std::vector<work::Listing> pods = {work::pods_listing(job.ns(), job.kind, job.name())};
  work::fetch_together(*client, pods);
  if (pods[0].failure) return pods[0].failure->error;
  job::keep_owned(pods[0].objects, {*job.kind, job.object});
  const job::JobState state = job::judge(*job.kind, job.object, pods[0].objects, {});
  return metrics_of_pods(context, job, pods[0].objects, state, own);
}

bool is_metric_file(Context& context, const std::string& word) {
  if (word == "-") return true;
  return word.find_first_of("/.") != std::string::npos && context.files.exists(word);
}

Result<std::vector<MetricSource>> find_metrics(Context& context, const std::string& word,
                                               const job::MetricPatterns& own) {
  if (is_metric_file(context, word)) {
    TRY_ASSIGN(MetricSource source, metrics_of_file(context, word, own));
    return std::vector{std::move(source)};
  }
  if (const auto run = work::numbered_run(context, word)) {
    return std::vector{metrics_of_run(context, *run, own)};
  }
  auto of_jobs = metrics_of_jobs(context, word, own);
  if (of_jobs) return of_jobs;
  const std::string name = word.substr(word.rfind('/') + 1);  // without a kind
  auto of_history = metrics_of_history(context, name, own, std::move(of_jobs).error());
  if (of_history) return of_history;
  return nothing_named(context, word, std::move(of_history).error());
}

}  // namespace trainctl::cli
