// The settings that apply to one command line, among them those of presets: named groups, which
// apply to a line that chooses them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "base/result.h"
#include "options/table/rows.h"

namespace trainctl::options {

// Sources of settings, highest precedence first.
enum class Source { variables, script, working_tree, user, site };

// The facts about a flag that the configuration needs.
struct ConfigKey {
  std::string value_name;  // "IMAGE"; "" = a switch
  bool repeatable = false;
  OptionRow row;
};

struct Setting {
  Source source = Source::user;
  std::string section;              // a command, or k_worker_contexts; "" = the top level
  std::string key;                  // a flag's long name, without dashes
  std::vector<std::string> values;  // one value, except for repeatable flags
  ConfigKey facts;
  std::string origin = {};  // "/home/ada/.config/trainctl/config.yaml:3", "TRAINCTL_IMAGE"
  std::string preset = {};  // it applies only where this preset is chosen; "" = everywhere

  std::string spelled() const;  // "submit-pytorch.image", "presets.a100x8.gpu"
};

// A flag with a value, typed or configured; a flag with several values is given several times.
struct GivenFlag {
  std::string name;   // the long name, without dashes
  std::string value;  // of a switch: true or false
};

// The key of a file's presets.
inline constexpr const char* k_presets = "presets";
// The key of a file with what it says about MultiKueue.
inline constexpr std::string_view k_multikueue = "multikueue";
// The section with the contexts of MultiKueue's worker clusters, by the clusters' names. No command
// has it.
inline constexpr std::string_view k_worker_contexts = "multikueue.contexts";

// True for a command that reads submit flags at the top level.
bool reads_submit_keys(const std::string& command);

// Chooses, among the settings that concern flags of the command (of no preset, or of a chosen one),
// those that apply, in order, without those that a nearer setting or a typed flag overrides: a
// nearer one replaces the same key (lists as a whole), a flag of all roles also those of one role,
// and any setting it conflicts with.
std::vector<Setting> defaults_for(const std::string& command, const std::vector<Setting>& settings,
                                  const std::vector<GivenFlag>& typed,
                                  const Environment& environment);

// True when a command reads the setting at all.
bool concerns(const Setting& setting, const std::string& command);

// The defaults as flags.
std::vector<GivenFlag> flags_of(const std::vector<Setting>& defaults);

// Adds the origin of the value to an error about a flag that was not typed.
Error with_origin(Error error, const std::vector<Setting>& defaults);

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
