// Each line is taken with the replica and the attempt that printed it.
#include "logs/log_metrics.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop/wait_limit.h"
#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "logs/archive_writer.h"
#include "logs/container_runs.h"
#include "status/pod_state.h"

namespace trainctl::job {
namespace {

void take_line(const LogOrigin& origin, const kube::LogLine& line, JobMetrics& metrics) {
  metrics.take(
      {origin.replica, origin.rank, origin.attempt, line.stamp.value_or(Time{}), line.text});
}

struct MetricLog : Handle, kube::LineSink {
  MetricLog(LogOrigin origin, JobMetrics& metrics, std::function<void(const Status&)> done)
      : origin(std::move(origin)), metrics(metrics), done(std::move(done)) {}
  void on_line(const kube::LogLine& line) override { take_line(origin, line, metrics); }
  void on_end(const std::optional<kube::Failure>& failure) override {
    done(failure ? Status(failure->error) : Status());
  }

  LogOrigin origin;
  JobMetrics& metrics;
  std::function<void(const Status&)> done;
  HandlePtr request;
};

// Reads one run of a container as it is now.
Status read_run(kube::Client& client, const kube::LogQuery& query, LogOrigin origin,
                JobMetrics& metrics) {
  std::optional<Status> outcome;
  const HandlePtr log = read_log_metrics(client, query, std::move(origin), metrics,
                                         [&outcome](const Status& end) { outcome = end; });
  WaitLimit limit(client.loop(), std::nullopt);
  TRY(limit.run_until([&outcome] { return outcome.has_value(); }));
  return *outcome;
}

Status read_replica(kube::Client& client, const Kind& kind, const Json& pod,
                    const ReplicaState& replica, JobMetrics& metrics) {
  TRY_ASSIGN(const LogContainer container, log_container(kind, pod, replica.id.name(), ""));
  const Json* const status = container_status(pod, container.name);
  if (status == nullptr) return {};
  const auto restarts = static_cast<int>(int_at(*status, "/restartCount").value_or(0));
  kube::LogQuery query;
  query.ns = text_at(pod, "/metadata/namespace");
  query.pod = text_at(pod, "/metadata/name");
  query.container = container.name;
  query.pod_uid = text_at(pod, "/metadata/uid");
  if (restarts > 0) {
    query.previous = true;
    // A node need not keep the log of the run before.
    (void)read_run(client, query, {replica.id, replica.rank, container.name, restarts}, metrics);
    query.previous = false;
  }
  return read_run(client, query, {replica.id, replica.rank, container.name, restarts + 1}, metrics);
}

// Rank 0 prints metrics in most programs, the last rank in some. Reads no more logs than needed.
std::vector<const ReplicaState*> in_order_of_reading(const JobState& state) {
  constexpr std::size_t k_most = 8;
  std::vector<const ReplicaState*> order;
  for (const ReplicaState& replica : state.replicas) order.push_back(&replica);
  std::ranges::stable_sort(order, {},
                           [](const ReplicaState* replica) { return replica->rank.value_or(1); });
  if (order.size() > 2) std::ranges::rotate(order.begin() + 1, order.end() - 1, order.end());
  if (order.size() > k_most) order.resize(k_most);
  return order;
}

}  // namespace

HandlePtr read_log_metrics(kube::Client& client, const kube::LogQuery& query, LogOrigin origin,
                           JobMetrics& metrics, std::function<void(const Status&)> on_end) {
  auto log = std::make_unique<MetricLog>(std::move(origin), metrics, std::move(on_end));
  log->request = kube::open_log(client, query, *log);
  return log;
}

Result<JobMetrics> metrics_of_logs(kube::Client& client, const Kind& kind, const JobState& state,
                                   std::span<const Json> pods, const MetricPatterns& own) {
  JobMetrics metrics(own);
  Status unread;
  for (const ReplicaState* const replica : in_order_of_reading(state)) {
    const Json* const pod = kube::find_uid(pods, replica->pod.uid);
    if (pod == nullptr) continue;
    Status read = read_replica(client, kind, *pod, *replica, metrics);
    if (!read && unread) unread = std::move(read);
    if (!metrics.record().series.empty()) return metrics;
  }
  if (!unread) return unread.error();
  return metrics;
}

JobMetrics metrics_of_archive(const Kind& kind, std::string_view content,
                              const MetricPatterns& own) {
  JobMetrics metrics(own);
  for (const ArchivedLine& line : read_archived_lines(content)) {
    const auto replica = parse_replica(kind, line.replica);
    if (!replica) continue;  // a gap
    take_line({*replica, line.rank, line.container, line.attempt}, line.line, metrics);
  }
  return metrics;
}

JobMetrics metrics_of_text(std::string_view text, const MetricPatterns& own) {
  JobMetrics metrics(own);
  kube::StampReader stamps;
  std::optional<Time> printed;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    kube::LogLine line = stamps.read(text.substr(0, end));
    if (!line.stamp) line.stamp = printed;
    printed = line.stamp;
    take_line({}, line, metrics);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return metrics;
}

MetricRecord record_of(const JobMetrics& metrics, bool spans_nodes) {
  MetricRecord record = metrics.record();
  record.network = network_words(metrics.network().faults(spans_nodes));
  return record;
}

}  // namespace trainctl::job
