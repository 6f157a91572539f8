#include "follow/log_ends.h"

#include <algorithm>
#include <utility>

#include "kube/stream/log_stream.h"

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

struct LogEnds::Tail : kube::LineSink {
  Tail(LogEnds& of, const ReplicaState& replica) : of(of), id(replica.id), rank(replica.rank) {}
  void on_line(const kube::LogLine& line) override {
    if (line.stamp) of.last_line_ = std::max(of.last_line_, *line.stamp);
    of.metrics_.take({id, rank, 1, line.stamp.value_or(Time{}), line.text});
  }
  void on_end(const std::optional<kube::Failure>&) override {
    if (--of.unread_ == 0 && of.on_read_) of.on_read_();
  }

  LogEnds& of;
  ReplicaId id;
  std::optional<int> rank;
  HandlePtr request;
};

LogEnds::LogEnds(kube::Client& client, const Kind& kind, const std::string& ns,
                 std::span<const ReplicaState* const> replicas, std::function<void()> on_read)
    : unread_(replicas.size()), on_read_(std::move(on_read)) {
  for (const ReplicaState* const replica : replicas) {
    Tail& tail = *tails_.emplace_back(std::make_unique<Tail>(*this, *replica));
    tail.request = kube::open_log(client, tail_query(kind, ns, *replica), tail);
  }
}

LogEnds::~LogEnds() = default;

LagWatch::LagWatch(kube::Client& client, const Kind& kind, std::string ns,
                   std::function<std::vector<const ReplicaState*>()> replicas,
                   std::function<void()> on_change)
    : client_(client),
      kind_(kind),
      ns_(std::move(ns)),
      replicas_(std::move(replicas)),
      on_change_(std::move(on_change)) {}

void LagWatch::start() {
  timer_ = client_.loop().after(k_between_looks, [this] {
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
  if (replicas.size() < 2) {
    lag_.reset();
    return on_change_();
  }
  ends_ = std::make_unique<LogEnds>(client_, kind_, ns_, replicas, [this] {
    lag_ = ends_->metrics().lag_of_ends(client_.loop().now());
    on_change_();
  });
}

}  // namespace trainctl::job
