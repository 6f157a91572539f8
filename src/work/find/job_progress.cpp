// A log gets one attempt and little time, since a table without progress is of use.
#include "work/find/job_progress.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/loop/loop.h"
#include "base/loop/wait_limit.h"
#include "base/text/text.h"
#include "kube/stream/log_stream.h"
#include "metrics/job_metrics.h"
#include "metrics/metric_record.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_most_jobs = 16;
constexpr std::size_t k_most_tails = 32;
constexpr long k_tail_lines = 50;
constexpr long k_tail_bytes = 64L << 10U;
constexpr Duration k_tail_patience = std::chrono::seconds(2);
constexpr Duration k_remarkable_silence = std::chrono::minutes(1);

// A job whose logs are read, by the last lines of each.
struct Training {
  const FoundJob* job = nullptr;
  const job::JobState* state = nullptr;
  job::JobMetrics metrics{};
  Time last_line{};       // by the nodes' clocks
  bool is_heard = false;  // the ends of the logs of all its running replicas were read
};

struct ProgressTail : kube::LineSink {
  ProgressTail(Training& of, const job::ReplicaState& replica) : of(&of), replica(&replica) {}
  void on_line(const kube::LogLine& line) override {
    if (line.stamp) of->last_line = std::max(of->last_line, *line.stamp);
    of->metrics.take({replica->id, replica->rank, 1, line.stamp.value_or(Time{}), line.text});
  }
  void on_end(const std::optional<kube::Failure>&) override { is_read = true; }

  Training* of;
  const job::ReplicaState* replica;
  HandlePtr request = {};
  bool is_read = false;
};

bool has_running_leader(const job::JobState& state) {
  return state.phase == job::Phase::running && !state.replicas.empty() &&
         state.replicas.front().run.state == job::RunState::running;
}

// The pod of a job that is over keeps its log as long as it stands.
bool has_log(const job::JobState& state) {
  if (state.replicas.empty()) return false;
  const job::ReplicaState& leader = state.replicas.front();
  return has_running_leader(state) || (job::is_final(state.phase) && leader.pod.stands() &&
                                       leader.run.state == job::RunState::succeeded);
}

kube::LogQuery tail_query(const ProgressTail& tail) {
  kube::LogQuery query;
  query.ns = tail.of->job->ns();
  query.pod = tail.replica->pod.name;
  if (tail.of->job->kind->container_required) query.container = tail.of->job->kind->container;
  query.tail_lines = k_tail_lines;
  query.limit_bytes = k_tail_bytes;
  return query;
}

// The leaders' logs say how far the jobs are, those of the other replicas which one lags.
std::vector<ProgressTail> tails_of(std::vector<Training>& jobs) {
  std::vector<ProgressTail> tails;
  for (Training& one : jobs) tails.emplace_back(one, one.state->replicas.front());
  for (Training& one : jobs) {
    if (one.state->phase != job::Phase::running) continue;
    for (const job::ReplicaState& replica : std::span(one.state->replicas).subspan(1)) {
      if (tails.size() >= k_most_tails) return tails;
      if (replica.run.state == job::RunState::running) tails.emplace_back(one, replica);
    }
  }
  return tails;
}

job::MetricRecord record_of(const Training& one, Time now) {
  job::MetricRecord record = one.metrics.record();
  record.network = join(one.metrics.network().faults(job::spans_nodes(*one.state)), "; ");
  if (one.state->phase != job::Phase::running) return record;
  record.lag = one.metrics.lag_of_ends(now);
  const bool has_lines = one.last_line != Time{};
  if (one.is_heard && has_lines && now - one.last_line >= k_remarkable_silence) {
    record.silence = now - one.last_line;
  }
  return record;
}

Status read_tails(Access& access, std::vector<Training>& jobs) {
  if (jobs.empty()) return {};
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<ProgressTail> tails = tails_of(jobs);
  for (ProgressTail& tail : tails) tail.request = kube::open_log(*client, tail_query(tail), tail);
  bool is_late = false;
  const HandlePtr timer = access.loop.after(k_tail_patience, [&is_late] { is_late = true; });
  WaitLimit limit(access.loop, std::nullopt);
  TRY(limit.run_until(
      [&] { return is_late || std::ranges::all_of(tails, &ProgressTail::is_read); }));
  for (Training& one : jobs) one.is_heard = !is_late && tails.size() < k_most_tails;
  return {};
}

// The metrics that the history has of this very job.
job::MetricRecord kept_record(Access& access, const FoundJob& job) {
  if (!access.history) return {};
  const auto runs = access.history->list({job.ns(), "", 0});
  if (!runs) return {};
  const auto newest =
      std::ranges::find_if(*runs, [&job](const PastRun& run) { return run.uid == job.uid(); });
  if (newest == runs->end()) return {};
  const auto whole = access.history->find(newest->number);  // a list has no points
  const bool is_known = whole && whole->metrics.is_object();
  return is_known ? job::read_metrics(whole->metrics) : job::MetricRecord();
}

}  // namespace

std::map<std::string, Json> kept_metrics(Access& access, const std::string& ns) {
  std::map<std::string, Json> kept;
  if (!access.history) return kept;
  auto runs = access.history->list({ns, "", 0});
  if (!runs) return kept;
  for (PastRun& run : *runs) {  // the newest of a job comes first
    if (run.metrics.is_object()) kept.emplace(run.uid, std::move(run.metrics));
  }
  return kept;
}

Status add_metrics(Access& access, std::vector<JobUsage>& jobs) {
  std::vector<Training> trainings;
  std::vector<JobUsage*> read;
  for (JobUsage& one : jobs) {
    if (!has_running_leader(one.state) || read.size() == k_most_jobs) continue;
    trainings.push_back({&one.job, &one.state});
    read.push_back(&one);
  }
  TRY(read_tails(access, trainings));
  for (std::size_t at = 0; at < read.size(); ++at) {
    const job::MetricRecord record = record_of(trainings[at], access.loop.now());
    if (!record.empty()) read[at]->metrics = job::metrics_json(record, false);
  }
  std::optional<std::map<std::string, Json>> kept;
  for (JobUsage& one : jobs) {
    if (!one.metrics.is_null()) continue;
    if (!kept) kept = kept_metrics(access, "");
    if (const auto found = kept->find(one.job.uid()); found != kept->end()) {
      one.metrics = found->second;
    }
  }
  return {};
}

Result<job::MetricRecord> metrics_of_one(Access& access, const FoundJob& job,
                                         const job::JobState& state) {
  job::MetricRecord kept = kept_record(access, job);
  if (!has_log(state) || (job::is_final(state.phase) && !kept.empty())) return kept;
  std::vector<Training> one;
  one.push_back({&job, &state});
  TRY(read_tails(access, one));
  job::MetricRecord read = record_of(one.front(), access.loop.now());
  // NCCL tells at the start of a run, of which the last lines know nothing.
  if (read.network.empty()) read.network = kept.network;
  kept.network = read.network;
  return read.empty() ? kept : std::move(read);
}

}  // namespace trainctl::work
