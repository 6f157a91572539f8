// Finds the pod that already has a replica's pod name. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

// The pod that has the name, as a failed creation says: pods "ddp-worker-0" already exists; "" when
// the message says something else.
std::string taken_pod_name(std::string_view message);

struct TakenName {
  std::string message;  // "pod ddp-worker-0 already exists: it belongs to tfjob ddp"
  std::string hint;     // what to do about it
  bool passes = false;  // the pod is about to go, and the name will be free
};

// Describes another owner's pod under a name that `job` needs.
TakenName describe_taken_name(const Kind& kind, const Json& job, const Json& pod);

}  // namespace trainctl::job
