// Copies edited files out of a container into the directory that the code came from.
#pragma once

#include <string>

#include "base/result.h"
#include "work/copy/code_changes.h"

namespace trainctl::work {

// Copies the files into the directory that the code came from. When some files cannot be copied, it
// copies the others, names these and fails. `shown`: the directory as the user typed it.
Status bring_back(Shell& shell, const SentCode& sent, const CodeChanges& changes,
                  const std::string& shown);

// The name beside a file under which another version of it is written.
std::string name_beside(const std::string& path, const Target& target);

}  // namespace trainctl::work
