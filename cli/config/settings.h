// What the configuration says: TRAINCTL_* variables and files, nearest first.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/config/config_keys.h"
#include "cli/context.h"

namespace trainctl::cli {

enum class Source { variables, working_tree, user, site };

struct SettingsFile {
  Source source = Source::user;
  std::string path;
};
// Of the working tree, the user and the site. The working tree's is the nearest `.trainctl.yaml`
// from the working directory up to the root of its repository (a `.git` tells), else up to the home
// directory when it lies below it; elsewhere the working directory's own. "" = there is no place
// for one.
std::vector<SettingsFile> settings_files(const Context& context);

struct Setting {
  Source source = Source::user;
  std::string section;              // a command; "" = the top level
  std::string key;                  // a flag's long name, without dashes
  std::vector<std::string> values;  // one, but for a flag that may be repeated
  ConfigKey facts;
  std::string origin = {};  // "/home/ada/.config/trainctl/config.yaml:3", "TRAINCTL_IMAGE"

  std::string spelled() const;  // "submit-pytorch.image"
};

// A setting that comes first wins over a later one. Code::usage, with file and line, for a file
// that cannot be read, a key that no flag has, a value that is none, and what a file must not say:
// secrets in any, connection and credentials in the working tree's.
Result<std::vector<Setting>> read_settings(const Context& context);

// The settings of one file's content.
Result<std::vector<Setting>> file_settings(const SettingsFile& file, const std::string& text,
                                           const Environment& environment, ConfigKeys& keys);

// A TRAINCTL_* variable that is no setting, and the one that may be meant ("" = none is near).
struct UnknownVariable {
  std::string name, near;
};
std::vector<UnknownVariable> unknown_variables(const Context& context);

// Code::usage, with the nearest key there is.
Status check_key(ConfigKeys& keys, const std::string& section, const std::string& key);

// True for a flag whose value is a path.
bool is_path(const ConfigKey& facts);

// A switch's value as true or false, where yes, no, on, off, 1 and 0 are understood, too.
std::string switch_word(const std::string& value);

}  // namespace trainctl::cli
