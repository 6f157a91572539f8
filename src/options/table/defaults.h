// The settings that apply to one command line.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "options/table/setting.h"

namespace trainctl::options {

// Of the settings that concern flags of the command (of no preset, or of a chosen one), those that
// apply, in order, without those that a nearer setting or a typed flag overrides: a nearer one
// replaces the same key (lists as a whole), a flag of all roles also those of one role, and any
// setting it conflicts with.
std::vector<Setting> defaults_for(const std::string& command, const std::vector<Setting>& settings,
                                  const std::vector<GivenFlag>& typed,
                                  const Environment& environment);

// True when a command reads the setting at all.
bool concerns(const Setting& setting, const std::string& command);

// The defaults as flags.
std::vector<GivenFlag> flags_of(const std::vector<Setting>& defaults);

// Adds the origin of the value to an error about a flag that was not typed.
Error with_origin(Error error, const std::vector<Setting>& defaults);

}  // namespace trainctl::options
