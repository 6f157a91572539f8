// The user's consent to a working tree's file, given once for each content and place.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "options/settings/settings.h"

namespace trainctl::options {

// True when the user has agreed to exactly this content of the working tree's file and of all
// files that its `settings` name.
bool is_agreed(const ConfigSources& sources, const std::vector<Setting>& settings);

// Stores a digest of that content as agreed to: of the content that this command has read, not of
// what the files hold by then.
Status agree(const ConfigSources& sources, const std::vector<Setting>& settings);

}  // namespace trainctl::options
