// Finds the policy that the site's configuration file sets for jobs.
#pragma once

#include <optional>

#include "base/result.h"
#include "job/manifest/policy.h"
#include "work/access.h"

namespace trainctl::work {

// The policy; nullopt without one, and with --local, which pulls no image and shares nothing.
// Code::usage for a site's file that cannot be read.
Result<std::optional<job::Policy>> site_policy(Access& access);

}  // namespace trainctl::work
