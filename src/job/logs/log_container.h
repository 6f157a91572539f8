// Chooses the container of a pod whose log is read.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct LogContainer {
  std::string name;
  std::string notice;  // to print once; "" = none
};

// The container named `asked`, of any kind (also init and ephemeral containers), or Code::not_found
// when the pod has none of that name. When `asked` is "", the container that the pod's kubectl
// annotation names, else the main one.
Result<LogContainer> log_container(const Kind& kind, const Json& pod, const std::string& replica,
                                   const std::string& asked);

}  // namespace trainctl::job
