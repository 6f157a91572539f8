// Full names of container images, for comparing an image with the prefixes that a site allows.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl::job {

// The image's registry and repository, without tag and digest: "docker.io/library/python" for
// "python:3".
std::string full_image_name(std::string_view image);

// The same form of a prefix: "docker.io/acme" for "acme/", "ghcr.io" for "ghcr.io/". Code::usage,
// with a message like "has a tag", for a text that is not a prefix, and for a word that could be a
// namespace or an image.
Result<std::string> full_image_prefix(std::string_view prefix);

// True when the full name is that of the prefix, or below it: "ghcr.io/acme-evil/x" is not below
// "ghcr.io/acme".
bool is_image_below(std::string_view name, std::string_view prefix);

}  // namespace trainctl::job
