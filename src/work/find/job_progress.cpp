// A log gets one attempt and little time, since a table without progress is of use.
#include "work/find/job_progress.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/loop/loop.h"
#include "base/loop/wait_limit.h"
#include "follow/log_ends.h"
#include "logs/log_metrics.h"
#include "metrics/metric_json.h"
#include "metrics/metric_record.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_most_jobs = 16;
constexpr std::size_t k_most_tails = 32;
constexpr Duration k_tail_patience = std::chrono::seconds(2);
constexpr Duration k_remarkable_silence = std::chrono::minutes(1);

// A job whose logs are read, by the last lines of each.
struct Training {
  const FoundJob* job = nullptr;
  const job::JobState* state = nullptr;
  std::vector<const job::ReplicaState*> replicas = {};  // whose logs are read
  std::unique_ptr<job::LogEnds> ends = {};
  bool is_heard = false;  // the ends of the logs of all its running replicas were read
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

// The leaders' logs say how far the jobs are, those of the other replicas which one lags. Returns
// true when none is left out.
bool choose_replicas(std::vector<Training>& jobs) {
  std::size_t chosen = jobs.size();
  for (Training& one : jobs) one.replicas = {&one.state->replicas.front()};
  for (Training& one : jobs) {
    if (one.state->phase != job::Phase::running) continue;
    for (const job::ReplicaState& replica : std::span(one.state->replicas).subspan(1)) {
      if (replica.run.state != job::RunState::running) continue;
      if (chosen++ == k_most_tails) return false;
      one.replicas.push_back(&replica);
    }
  }
  return true;
}

job::MetricRecord record_of(const Training& one, Time now) {
  const job::JobMetrics& metrics = one.ends->metrics();
  job::MetricRecord record = job::record_of(metrics, job::spans_nodes(*one.state));
  if (one.state->phase != job::Phase::running) return record;
  record.lag = metrics.lag_of_ends(now);
  const std::optional<Time> last_line = metrics.last_line();
  if (one.is_heard && last_line && now - *last_line >= k_remarkable_silence) {
    record.silence = now - *last_line;
  }
  return record;
}

Status read_tails(Access& access, std::vector<Training>& jobs) {
  if (jobs.empty()) return {};
  TRY_ASSIGN(kube::Client * client, access.client());
  const bool are_all = choose_replicas(jobs);
  for (Training& one : jobs) {
    one.ends = std::make_unique<job::LogEnds>(*client, *one.job->kind, one.job->ns(), one.replicas);
  }
  bool is_late = false;
  const HandlePtr timer = access.loop.after(k_tail_patience, [&is_late] { is_late = true; });
  WaitLimit limit(access.loop, std::nullopt);
  TRY(limit.run_until([&] {
    return is_late ||
           std::ranges::all_of(jobs, [](const Training& one) { return one.ends->are_read(); });
  }));
  for (Training& one : jobs) one.is_heard = !is_late && are_all;
  return {};
}

}  // namespace

std::map<std::string, Json> kept_metrics(Access& access, const std::string& ns) {
  std::map<std::string, Json> kept;
  if (!access.history) return kept;
  auto runs = access.history->list({ns, "", 0});
  if (!runs) return kept;
  for (PastRun& run : *runs) {  // the newest of a job comes first
    const bool went_on_unseen = run.ended && run.metrics_end_early();
    if (run.metrics.is_object() && !went_on_unseen) kept.emplace(run.uid, std::move(run.metrics));
  }
  return kept;
}

std::optional<PastRun> kept_run(Access& access, const FoundJob& job) {
  if (!access.history || job.uid().empty()) return std::nullopt;
  const auto runs = access.history->list({job.ns(), job.name(), 0});
  if (!runs) return std::nullopt;
  const auto own = std::ranges::find(*runs, job.uid(), &PastRun::uid);
  if (own == runs->end()) return std::nullopt;
  auto whole = access.history->find(own->number);
  return whole ? std::optional(*std::move(whole)) : std::nullopt;
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
    const auto found = kept->find(one.job.uid());
    if (found == kept->end()) continue;
    const bool went_on = job::is_final(one.state.phase) && true_at(found->second, "/endsEarly");
    if (!went_on) one.metrics = found->second;
  }
  return {};
}

Result<job::MetricRecord> metrics_of_one(Access& access, const FoundJob& job,
                                         const job::JobState& state) {
  job::MetricRecord kept;
  const auto run = kept_run(access, job);
  const bool is_outdated = run && run->metrics_end_early() && job::is_final(state.phase);
  if (run && run->metrics.is_object() && !is_outdated) kept = job::read_metrics(run->metrics);
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
