// Finds the policy that the site's configuration file sets for jobs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "job/manifest/policy.h"
#include "work/access.h"

namespace trainctl::work {

// The content of the site's file; nullopt without one. Code::usage, naming the path, for a file
// that may not be read and for a link that leads nowhere: the policy may be behind either.
Result<std::optional<std::string>> read_site_file(Files& files);

// The policy; nullopt without one, and with --local, which pulls no image and shares nothing.
// Code::usage for a site's file that cannot be read.
Result<std::optional<job::Policy>> site_policy(Access& access);

// Refuses (Code::usage) an image for a pod of ours that the policy does not allow. `flag`: the one
// that named the image.
Status check_image(Access& access, std::string_view flag, const std::string& image);

}  // namespace trainctl::work
