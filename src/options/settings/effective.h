// The settings that apply here, as one configuration file would hold them, without secrets.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "options/table/setting.h"

namespace trainctl::options {

// The settings without those that a nearer one overrides; presets come last, as a line that
// chooses them would have them.
std::vector<Setting> effective(const std::vector<Setting>& settings);

// The settings as one configuration file would hold them.
Json merged(const std::vector<Setting>& settings);

// Values as written in a file: a list when the flag is repeatable.
Json written_value(const ConfigKey& facts, const std::vector<std::string>& values);

// The values, and the value as written in a file, without secrets.
std::vector<std::string> shown_words(const Setting& setting);
Json shown_value(const Setting& setting);

}  // namespace trainctl::options
