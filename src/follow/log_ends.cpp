#include "follow/log_ends.h"

#include <utility>

#include "logs/log_metrics.h"

namespace trainctl::job {
namespace {

constexpr long k_tail_lines = 50;
constexpr long k_tail_bytes = 64L << 10U;
constexpr Duration k_between_looks = std::chrono::seconds(30);

kube::LogQuery tail_query(const Kind& kind, const std::string& ns, const ReplicaState& replica) {
  kube::LogQuery query;
  query.ns = ns;
  query.pod = replica.pod.name;
  if (kind.container_required) query.container = kind.container;
  query.tail_lines = k_tail_lines;
  query.limit_bytes = k_tail_bytes;
  return query;
}

}  // namespace

LogEnds::LogEnds(kube::Client& client, const Kind& kind, const std::string& ns,
                 std::span<const ReplicaState* const> replicas, std::function<void()> on_read)
    : unread_(replicas.size()) {
  const auto on_end = [this, on_read = std::move(on_read)](const Status&) {
    if (--unread_ == 0 && on_read) on_read();
  };
  for (const ReplicaState* const replica : replicas) {
    LogOrigin origin{replica->id, replica->rank, std::string(kind.container)};
    logs_.push_back(read_log_metrics(client, tail_query(kind, ns, *replica), std::move(origin),
                                     metrics_, on_end));
  }
}

LagWatch::LagWatch(kube::Client& client, const Kind& kind, std::string ns,
                   std::function<std::vector<const ReplicaState*>()> replicas,
                   std::function<void(const std::optional<MetricLag>&)> on_answer)
    : client_(&client),
      kind_(kind),
      ns_(std::move(ns)),
      replicas_(std::move(replicas)),
      on_answer_(std::move(on_answer)) {}

void LagWatch::start() {
  timer_ = client_->loop().after(k_between_looks, [this] {
    ask();
    start();
  });
}

void LagWatch::stop() {
  timer_.reset();
  ends_.reset();
}

void LagWatch::ask() {
  const std::vector<const ReplicaState*> replicas = replicas_();
  if (replicas.size() < 2) return on_answer_({});
  ends_ = std::make_unique<LogEnds>(*client_, kind_, ns_, replicas, [this] {
    on_answer_(ends_->metrics().lag_of_ends(client_->loop().now()));
  });
}

}  // namespace trainctl::job
