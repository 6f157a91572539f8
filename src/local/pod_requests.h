// Requests about a pod's log, programs and ports, and the interfaces that answer them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/answer.h"

namespace trainctl::local {

// The query of GET …/pods/NAME/log (core/v1 PodLogOptions), checked.
struct LogQuestion {
  std::string container;  // "" = the only one
  std::string run;        // container ID; "" = the current run, or the one before
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  std::optional<Time> since;  // whole seconds; earlier lines are omitted
};

class PodLogs {
 public:
  virtual ~PodLogs() = default;
  // Answers 200 with text/plain, 204 for a pod that is not scheduled, and 400 with the kubelet's
  // message for a container that waits; a real kubelet was seen to do the same.
  virtual ApiAnswer answer(const Json& pod, const LogQuestion& question) = 0;
  // The last state of a removed pod whose log is kept. A real cluster has none.
  virtual std::optional<Json> ended_pod(std::string_view ns, std::string_view name) const = 0;
};

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
