// The container of a pod whose log is read: which one it is, and whether there can be a log.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct LogContainer {
  std::string name;
  std::string notice;  // to print once; "" = none
};

// The container named `asked`, of any kind (also init and ephemeral containers), or Code::not_found
// when the pod has no container of that name. When `asked` is "", the container that the pod's
// kubectl annotation names, else the main one.
Result<LogContainer> log_container(const Kind& kind, const Json& pod, const std::string& replica,
                                   const std::string& asked);

// False while the node cannot have started the container. A node starts one before the pod's status
// says so.
bool may_have_begun(const Json& pod, std::string_view container);

}  // namespace trainctl::job
