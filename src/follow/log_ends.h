// Reads the last lines of several replicas' logs, all at once: how far each of them is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/loop/loop.h"
#include "kube/client/client.h"
#include "manifest/kind/kind.h"
#include "metrics/job_metrics.h"
#include "status/state.h"

namespace trainctl::job {

// One request for each replica, of its last 50 lines and at most 64 KiB. A log that cannot be read
// counts as one without lines.
class LogEnds {
 public:
  // `on_read` is called once, when the last of them is read; it must not destroy this.
  LogEnds(kube::Client& client, const Kind& kind, const std::string& ns,
          std::span<const ReplicaState* const> replicas, std::function<void()> on_read = {});
  LogEnds(const LogEnds&) = delete;
  LogEnds& operator=(const LogEnds&) = delete;

  bool are_read() const { return unread_ == 0; }
  const JobMetrics& metrics() const { return metrics_; }

 private:
  JobMetrics metrics_;
  std::size_t unread_;
  std::vector<HandlePtr> logs_;
};

// Finds the replica that lags, where the logs of not all replicas are followed: reads their ends
// every 30 seconds.
class LagWatch {
 public:
  // `replicas` returns those to compare; fewer than two are not asked. `on_answer` takes the lag
  // each time.
  LagWatch(kube::Client& client, const Kind& kind, std::string ns,
           std::function<std::vector<const ReplicaState*>()> replicas,
           std::function<void(const std::optional<MetricLag>&)> on_answer);

  void start();
  void stop();
  void read_from(kube::Client& client) { client_ = &client; }

 private:
  void ask();

  kube::Client* client_;
  const Kind& kind_;
  std::string ns_;
  std::function<std::vector<const ReplicaState*>()> replicas_;
  std::function<void(const std::optional<MetricLag>&)> on_answer_;
  std::unique_ptr<LogEnds> ends_;
  HandlePtr timer_;
};

}  // namespace trainctl::job
