// Files that hold secrets: readable by their owner alone, from the first byte on.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl::local {

// Replaces the file in one step, mode 0600.
Status write_private(const std::string& path, std::string_view content);
// "" when there is none, it is not ours, or it is a symbolic link.
std::string read_private(const std::string& path);

}  // namespace trainctl::local
