// Finds the policy that the site's configuration file sets for jobs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "job/manifest/policy.h"
#include "work/access.h"

namespace trainctl::work {

// The policy; nullopt without one, and with --local, which pulls no image and shares nothing.
// Code::usage for a site's file that cannot be read.
Result<std::optional<job::Policy>> site_policy(Access& access);

// Refuses (Code::usage) an image for a pod of ours that the policy does not allow. `flag`: that
// names it.
Status check_image(Access& access, std::string_view flag, const std::string& image);

}  // namespace trainctl::work
