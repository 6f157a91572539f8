// Checks that the replicas of an elastic job can all take part in its training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "manifest/flags/flags.h"

namespace trainctl::job {

inline constexpr std::string_view k_elastic_policy = "/spec/elasticPolicy";

// The fault that keeps replicas of a manifest with an elasticPolicy out of the training, or the
// whole training from starting; "" = none.
std::string elastic_fault(const Kind& kind, const Json& manifest);

// Refuses (Code::usage) flags that create such a job, or that leave open how far it may grow.
Status check_elastic(const Kind& kind, const Json& manifest, const std::vector<FlagUse>& uses);

}  // namespace trainctl::job
