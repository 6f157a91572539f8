// Judges whether the nodes of a cluster could host a job's pods if they were empty. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/preflight/finding.h"

namespace trainctl::job {

// The resources that a scheduler counts; the embedded cluster's counts devices alone.
enum class Counted { everything, devices };

// Says in plain words why this node can never host such a pod; "" = it could. Considers what the
// node offers, its labels and its taints; ignores other pods, and taints that come and go.
std::string node_fault(const Json& node, const Json& pod_spec, Counted counted);

// Never more than Severity::may_fail: an autoscaler may add nodes.
Findings judge_nodes(const std::vector<PredictedPod>& pods, const std::vector<Json>& nodes,
                     Counted counted);

}  // namespace trainctl::job
