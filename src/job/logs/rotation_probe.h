// Notices when the stream of a busy log leaps over a file that was rotated away unread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/loop.h"
#include "base/time.h"
#include "kube/client.h"
#include "kube/log_stream.h"

namespace trainctl::job {

// A kubelet that has read a rotated log file to its end goes on with the current one. What was
// rotated away between the two is skipped without a word, when the node or the path is slower than
// the container (Kubernetes pkg/kubelet/kuberuntime/logs ReadLogs; seen on a busy node).
//
// Where the current file begins can be asked for: a stream that comes past there without that line
// has leapt. A file is the current one for ten seconds or longer (the kubelet's
// containerLogMonitorInterval), so that who asks more often knows the begin of each.
class RotationProbe {
 public:
  // Nothing came between these two lines, though something was written there.
  struct Leap {
    Time after, before;
  };

  // So many bytes more of the stream were read. True when it is time to ask.
  bool is_due(std::size_t bytes, const Loop& loop);
  // `log` names the container; the rest of the query is the probe's.
  void ask(kube::Client& client, kube::LogQuery log);
  // The stream has brought a line with this stamp, told before or not.
  std::optional<Leap> meet(Time stamp);
  // The stream has ended, or goes on elsewhere: what it has come past will not come any more.
  std::optional<Leap> end();

 private:
  void on_line(const kube::LogLine& line);

  std::size_t read_ = 0;  // bytes since it was looked whether it is time
  std::optional<Time> asked_at_;
  int lines_ = 0;             // of the answer
  std::vector<Time> begins_;  // stamps of lines that the stream is to bring, in order
  std::optional<Leap> leap_;  // it has come past the first of them
  Time newest_{};
  HandlePtr request_;
};

}  // namespace trainctl::job
