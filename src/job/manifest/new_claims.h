// The claims that --pvc-new asks for. Pure.
#pragma once

#include <vector>

#include "base/result.h"
#include "job/manifest/companions.h"
#include "job/manifest/flags.h"

namespace trainctl::job {

// Each once, however many roles mount it. Code::usage for a value that is wrong.
Result<std::vector<Companion>> new_claims(const std::vector<FlagUse>& uses);

}  // namespace trainctl::job
