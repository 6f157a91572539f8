// Logs of present jobs are read anew, those of past runs from the history.
#include "cli/output/metric_sources.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/file/own_file.h"
#include "base/text/text.h"
#include "cli/output/record_history.h"
#include "history/find_run.h"
#include "history/log_archive.h"
#include "logs/log_metrics.h"
#include "manifest/array.h"
#include "metrics/metric_json.h"
#include "status/judgement.h"
#include "status/state.h"
#include "work/find/batch_fetch.h"
#include "work/find/find_job.h"
#include "work/find/job_progress.h"
#include "work/find/worker_cluster.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_most_text = std::size_t{64} << 20U;

Result<MetricSource> metrics_of_file(Context& context, const std::string& path,
                                     const job::MetricPatterns& own) {
  const bool is_stdin = path == "-";
  TRY_ASSIGN(const std::string text,
             is_stdin ? context.console.read_all(k_most_text) : context.files.read(path));
  const job::JobMetrics metrics = job::metrics_of_text(text, own);
  return MetricSource{is_stdin ? "stdin" : path.substr(path.rfind('/') + 1), metrics.record(),
                      metrics.last_line().has_value()};
}

// A command that reads no logs keeps the last values, and one that left early the values until
// then.
bool has_all_metrics(const work::PastRun& run) {
  return !run.metrics_end_early() && job::read_metrics(run.metrics).has_points();
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
  MetricSource source{cat(run.name, " (run ", run.number, ")"), {}, true, {}, run.number};
  if (run.verdict == exit_word(Code::job_failed)) source.phase = job::Phase::failed;
  source.values = run.origin.array_values;
  if (source.values.empty()) source.values = job::member_values(run.manifest);
  if (!run.metrics.is_null()) source.record = job::read_metrics(run.metrics);
  source.ends_early = run.metrics_end_early();
  if (source.record.has_points() && own.empty()) return source;
  const auto file = work::archived_log_path(context.environment, run.uid);
  const auto content = read_own_file(context.files, file);
  const job::Kind* kind = job::find_kind(run.kind);
  if (!content || kind == nullptr) return source;
  source.record = job::metrics_of_archive(*kind, *content, own).record();
  return source;
}

Result<MetricSource> metrics_of_pods(Context& context, kube::Client& client,
                                     const work::FoundJob& job, const std::vector<Json>& pods,
                                     const job::JobState& state, const job::MetricPatterns& own) {
  MetricSource source{job.name(), {}, true, state.phase};
  source.values = job::member_values(job.object);
  const auto read = job::metrics_of_logs(client, *job.kind, state, pods, own);
  if (read) source.record = job::record_of(*read, job::spans_nodes(state));
  const bool is_over = job::is_final(state.phase);
  if (!source.record.series.empty() && !is_over) return source;
  const auto run = work::kept_run(context, job);
  if (run && source.record.series.empty()) {
    MetricSource kept = metrics_of_run(context, *run, own);
    source.record = std::move(kept.record);
    source.ends_early = kept.ends_early;
  } else if (run && is_over && own.empty() && !has_all_metrics(*run)) {
    note_metrics(context, *run, source.record);
  }
  if (source.record.series.empty() && !read) return read.error();
  return source;
}

Result<MetricSource> metrics_of_job(Context& context, const work::FoundJob& job,
                                    const job::MetricPatterns& own) {
  TRY_ASSIGN(kube::Client * client, context.client());
  TRY_ASSIGN(const auto at_worker, work::find_at_worker(context, job));
  if (at_worker) client = at_worker->client;
  const Json& object = at_worker ? at_worker->job : job.object;
  TRY_ASSIGN(const auto pods, work::fetch_pods(*client, *job.kind, object));
  const job::JobState state = job::judge(*job.kind, object, pods, {});
  // The history knows the job of the manager's cluster.
  return metrics_of_pods(context, *client, job, pods, state, own);
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
