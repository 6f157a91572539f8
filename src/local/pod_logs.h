// The log endpoint's question, and who answers it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/time.h"
#include "local/answer.h"

namespace trainctl::local {

// The query of GET …/pods/NAME/log (core/v1 PodLogOptions), checked.
struct LogQuestion {
  std::string container;  // "" = the only one
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
  std::optional<Time> since;  // whole seconds: what came before is left out
};

class PodLogs {
 public:
  virtual ~PodLogs() = default;
  // 200 with text/plain, 204 for a pod that is not scheduled, 400 with the kubelet's words for a
  // container that waits: verified-on-cluster facts in kubelet.h.
  virtual ApiAnswer answer(const Json& pod, const LogQuestion& question) = 0;
};

}  // namespace trainctl::local
