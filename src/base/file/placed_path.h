// Recognises paths that stay inside a directory, by their text alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace trainctl {

// The names in a relative path, without "." and empty ones. Code::refused for an absolute path, one
// with "..", and one with a NUL.
Result<std::vector<std::string>> steps_in(const std::string& path);

// True when a link with this target, `depth` directories below the root, cannot lead out. It goes
// up first and then only down, so other such links on its way do not matter.
bool stays_inside(const std::string& target, std::size_t depth);

// The error that refuses a path.
Error path_refusal(std::string_view path, std::string_view why);

}  // namespace trainctl
