// The settings that concern one command line, as the words it would have had to type.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "cli/options/setting.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

// Settings of a command in their order, without those another or a typed flag overrides: what is
// nearer replaces the same key, lists as a whole, a flag of all roles also those of one role, and
// whatever cannot be said together with it. `typed` holds long names with dashes and values:
// "--image=x", "--follow".
std::vector<Setting> defaults_for(const CLI::App& app, const std::string& command,
                                  const std::vector<Setting>& settings,
                                  const std::vector<std::string>& typed,
                                  const Environment& environment);

// True when a command reads the setting at all.
bool concerns(const Setting& setting, const std::string& command);

// The words of the defaults: "--image=x".
std::vector<std::string> words_of(const std::vector<Setting>& defaults);

// A refusal that names a flag which was not typed says where it comes from.
Error with_origin(Error error, const std::vector<Setting>& defaults);

}  // namespace trainctl::cli
