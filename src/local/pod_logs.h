// A request to the log endpoint, and the interface that answers it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace trainctl::local
