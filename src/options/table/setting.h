// A value of a flag: typed, or set by the configuration.
#pragma once

#include <string>
#include <vector>

#include "options/table/rows.h"

namespace trainctl::options {

// Sources of settings, highest precedence first.
enum class Source { variables, working_tree, user, site };

// The facts about a flag that the configuration needs.
struct ConfigKey {
  std::string value_name;  // "IMAGE"; "" = a switch
  bool repeatable = false;
  OptionRow row;
};

struct Setting {
  Source source = Source::user;
  std::string section;              // a command; "" = the top level
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

// True for a command that reads submit flags at the top level.
bool reads_submit_keys(const std::string& command);

}  // namespace trainctl::options
