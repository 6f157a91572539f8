// Opens files that decide what the program does: nobody else may have written them.
#pragma once

#include <optional>
#include <string>

#include "base/file/descriptor.h"
#include "base/file/files.h"
#include "base/result.h"

namespace trainctl {

// Opens a regular file for reading and writing, creating it for its owner alone. Refuses a link, a
// pipe, a file of another user or one that others may write to, and a directory in which others may
// replace it. Blocks on nothing.
Result<Descriptor> open_own_file(const std::string& path);

// Returns the content of a regular file of this user or root that nobody else may write to, all
// judged by what was opened; nullopt for every other.
std::optional<std::string> read_own_file(Files& files, const std::string& path);

}  // namespace trainctl
