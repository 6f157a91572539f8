// Files that hold secrets: readable by their owner alone, from the first byte on.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl::local {

// Replaces the file atomically, with mode 0600.
Status write_private(const std::string& path, std::string_view content);
// Reads the file; "" when it is missing, not ours, or a symbolic link.
std::string read_private(const std::string& path);

}  // namespace trainctl::local
