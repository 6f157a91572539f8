// Presets: named groups of settings, which apply to a submit line that chooses them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "options/table/setting.h"

namespace trainctl::options {

// The value of --preset that chooses no preset, not even the configured one.
inline constexpr std::string_view k_no_preset = "none";

// The names of the presets that the settings define, sorted.
std::vector<std::string> preset_names(const std::vector<Setting>& settings);

// The settings of the preset in the nearest source that defines it.
std::vector<Setting> settings_of_preset(const std::vector<Setting>& settings,
                                        const std::string& name);

// The settings for a command line: those outside of presets, and those of the chosen presets,
// directly behind the source that chooses them. Presets named on the command line come first. A
// later one of several presets takes precedence. Code::usage for an unknown name.
Result<std::vector<Setting>> with_presets(const std::vector<Setting>& settings,
                                          const std::string& command,
                                          const std::vector<GivenFlag>& typed);

}  // namespace trainctl::options
