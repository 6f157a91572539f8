// Which of a pod's containers a log is read of.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct LogContainer {
  std::string name;
  std::string notice;  // to say once; "" when there is nothing to say
};

// The one asked for by name, of any kind (init containers and those of kubectl debug, too): unless
// the pod has it, Code::not_found. Nothing asked ("") means the one that the pod's annotation
// for kubectl names, else the main one.
Result<LogContainer> log_container(const Kind& kind, const Json& pod, const std::string& replica,
                                   const std::string& asked);

}  // namespace trainctl::job
