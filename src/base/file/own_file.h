// Opens files that decide what the program does: nobody else may have written them.
#pragma once

#include <string>

#include "base/file/descriptor.h"
#include "base/result.h"

namespace trainctl {

// Opens a regular file for reading and writing, creating it for its owner alone. Refuses a link, a
// pipe, a file of another user or one that others may write to, and a directory in which others may
// replace it. Blocks on nothing.
Result<Descriptor> open_own_file(const std::string& path);

}  // namespace trainctl
