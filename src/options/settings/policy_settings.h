// The site's policy as settings, so that `config view` shows it with its origin.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "options/settings/settings.h"

namespace trainctl::options {

// Reads the `policy` of a file with this text. Code::usage, naming the file and the key: for a
// policy in any file but the site's, for an invalid one, and for one that the file's other
// `settings` contradict.
Result<std::vector<Setting>> policy_settings(const Json& policy, const SettingsFile& file,
                                             const std::string& text,
                                             const std::vector<Setting>& settings);

// A policy's values as written in a file: [cost-center, {team: [vision, speech]}].
Json policy_value(const Setting& setting);

}  // namespace trainctl::options
