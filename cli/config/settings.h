// What the configuration says: TRAINCTL_* variables and files, nearest first.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/config/config_keys.h"
#include "cli/config/working_tree.h"
#include "cli/context.h"

namespace trainctl::cli {

struct SettingsFile {
  Source source = Source::user;
  std::string path;
};
// Of the working tree, the user and the site. "" = there is no place for one.
std::vector<SettingsFile> settings_files(const Context& context);

// A setting that comes first wins over a later one. Code::usage, with file and line, for a file
// that cannot be read, a key that no flag has, a value that is none, and what a file must not say:
// secrets in any, what its row leaves to the user in the working tree's, which a command that hears
// no working tree does not open.
Result<std::vector<Setting>> read_settings(const Context& context, Effect effect = Effect::reads);

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

// A switch's value as true or false, where yes, no, on, off, 1 and 0 are understood, too.
std::string switch_word(const std::string& value);

}  // namespace trainctl::cli
