// Requests to run a program in a container, to attach to its own, and to reach its ports; and the
// interface that answers them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "local/answer.h"

namespace trainctl::local {

// The query of GET …/pods/NAME/exec and …/attach (core/v1 PodExecOptions), checked.
struct StreamQuestion {
  std::string protocol;   // "v5.channel.k8s.io"
  std::string container;  // one of the pod's
  std::vector<std::string> command;
  bool input = false;
  bool output = false;
  bool error_output = false;
  bool terminal = false;
};

class PodStreams {
 public:
  virtual ~PodStreams() = default;
  // Faults that only a node can know are reported in the session, as behind a real API server.
  virtual std::unique_ptr<ApiSession> exec(const Json& pod, const StreamQuestion& question) = 0;
  virtual std::unique_ptr<ApiSession> attach(const Json& pod, const StreamQuestion& question) = 0;
  virtual std::unique_ptr<ApiSession> forward(const Json& pod, const std::vector<int>& ports) = 0;
};

}  // namespace trainctl::local
