// The user's consent to settings of a working tree that are not harmless, given once for each
// content and place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "options/settings/settings.h"

namespace trainctl::options {

// True when a setting may need the user's consent, on some cluster.
bool may_need_agreement(const Setting& setting);

// Code::usage when `defaults` contain a setting of the working tree that needs the user's consent
// on the chosen cluster, and neither an earlier `agree` to exactly this content nor
// TreeConfig::trusted gives it. `settings` are all that were read. `runs_here`: whether jobs may
// run as processes of this user, asked only when it matters.
Status check_agreed(const ConfigSources& sources, const std::vector<Setting>& settings,
                    const std::vector<Setting>& defaults, const std::function<bool()>& runs_here);

// Code::usage when there is no file of the working tree to agree to, or none that is accepted.
Status check_agreeable(const TreeFile& tree);

// Stores the content of the working tree's file, and of the files it names, as agreed to in this
// place: the content that this command has read, not what the files hold by then. Returns the path
// of the file.
Result<std::string> agree(const ConfigSources& sources, const std::vector<Setting>& settings);

}  // namespace trainctl::options
