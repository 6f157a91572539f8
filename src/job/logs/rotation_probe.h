// Asks where the current file of a busy log begins, so that a skipped rotated file is noticed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "base/loop/loop.h"
#include "base/text/time.h"
#include "job/logs/gap_detection.h"
#include "kube/client/client.h"
#include "kube/stream/log_stream.h"

namespace trainctl::job {

// A kubelet that has read a rotated log file to its end continues with the current one. Files
// rotated away between the two are skipped without a word when the node or the path is slower than
// the container (Kubernetes pkg/kubelet/kuberuntime/logs ReadLogs; seen on a busy node).
//
// A file is the current one for ten seconds or longer (the kubelet's containerLogMonitorInterval),
// so asking more often than that finds the beginning of each.
class RotationProbe {
 public:
  // Counts `bytes` more of the stream as read. Returns true when it is time to ask.
  bool is_due(std::size_t bytes, const Loop& loop) {
    read_ += bytes;
    return read_ >= k_busy && is_time(loop);
  }
  // `log` identifies the container; the probe sets the rest of the query. `gaps` must outlive the
  // probe.
  void ask(kube::Client& client, kube::LogQuery log, GapDetection& gaps);
  // Asks for the log's last line, which a node whose clock was set back omits from a resumed
  // stream. `done` is called when `gaps` has met it.
  void ask_last(kube::Client& client, kube::LogQuery log, GapDetection& gaps,
                std::function<void()> done);

 private:
  // Only a log that grows by megabytes is rotated within seconds.
  static constexpr std::size_t k_busy = std::size_t{256} << 10;

  bool is_time(const Loop& loop);

  std::size_t read_ = 0;  // bytes since is_due() last checked the time
  std::optional<Time> asked_at_;
  int lines_ = 0;  // lines of the answer
  HandlePtr request_;
};

}  // namespace trainctl::job
