// The scheduler of a cluster of one node.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::local {

// The devices that a pod requests: the limits of every resource named */gpu, by resource.
std::map<std::string, std::int64_t> gpus_of_pod(const Json& pod);
std::int64_t gpu_count(const Json& pod);

struct NodeState {
  Json node;
  std::int64_t gpus = 0;
  std::int64_t free_gpus = 0;
  std::function<bool(std::string_view claim)> has_claim;
};
// "" = the pod fits; else the message of its PodScheduled condition and FailedScheduling event.
std::string why_unschedulable(const Json& pod, const NodeState& state);

// True when the pod requests this scheduler, and it may act on the pod.
bool is_for_scheduler(const Json& pod);

}  // namespace trainctl::local
