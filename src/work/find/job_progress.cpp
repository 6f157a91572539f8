// A log gets one attempt and little time, since a table without progress is of use.
#include "work/find/job_progress.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/loop/loop.h"
#include "base/loop/wait_limit.h"
#include "job/metrics/job_metrics.h"
#include "job/metrics/metric_record.h"
#include "kube/stream/log_stream.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_most_tails = 16;
constexpr long k_tail_lines = 50;
constexpr long k_tail_bytes = 64L << 10U;
constexpr Duration k_tail_patience = std::chrono::seconds(2);

struct LogTail {
  JobUsage* job = nullptr;
  job::JobMetrics metrics{};
  HandlePtr request = {};
};

bool has_running_leader(const JobUsage& one) {
  return one.state.phase == job::Phase::running && !one.state.replicas.empty() &&
         one.state.replicas.front().run.state == job::RunState::running;
}

kube::LogQuery tail_query(const JobUsage& one) {
  kube::LogQuery query;
  query.ns = one.job.ns();
  query.pod = one.state.replicas.front().pod.name;
  if (one.job.kind->container_required) query.container = one.job.kind->container;
  query.tail_lines = k_tail_lines;
  query.limit_bytes = k_tail_bytes;
  return query;
}

void open_tail(kube::Client& client, LogTail& tail, std::size_t& open) {
  const job::ReplicaState& leader = tail.job->state.replicas.front();
  tail.request = kube::open_log(
      client, tail_query(*tail.job),
      {.on_open = [] {},
       .on_line =
           [&tail, &leader](const kube::LogLine& line) {
             tail.metrics.take({leader.id, leader.rank, 1, line.stamp.value_or(Time{}), line.text});
           },
       .on_end = [&open](const std::optional<kube::Failure>&) { --open; }});
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
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<LogTail> tails;
  for (JobUsage& one : jobs) {
    if (has_running_leader(one) && tails.size() < k_most_tails) tails.push_back({&one});
  }
  std::size_t open = tails.size();
  for (LogTail& tail : tails) open_tail(*client, tail, open);
  bool is_late = false;
  const HandlePtr timer = access.loop.after(k_tail_patience, [&is_late] { is_late = true; });
  WaitLimit limit(access.loop, std::nullopt);
  TRY(limit.run_until([&] { return open == 0 || is_late; }));
  for (const LogTail& tail : tails) {
    const job::MetricRecord& record = tail.metrics.record();
    if (!record.empty()) tail.job->metrics = job::metrics_json(record, false);
  }
  std::optional<std::map<std::string, Json>> kept;
  for (JobUsage& one : jobs) {
    if (one.state.phase != job::Phase::running || !one.metrics.is_null()) continue;
    if (!kept) kept = kept_metrics(access, "");
    if (const auto found = kept->find(one.job.uid()); found != kept->end()) {
      one.metrics = found->second;
    }
  }
  return {};
}

}  // namespace trainctl::work
