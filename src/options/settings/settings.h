// Reads the configuration: TRAINCTL_* variables and files, highest precedence first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "options/settings/keys.h"
#include "options/settings/working_tree.h"
#include "options/table/choices.h"

namespace trainctl::options {

// The sources of a configuration. The referred parts outlive it.
struct ConfigSources {
  PinnedFiles& files;
  const Environment& environment;
  const TreeFile& tree;                   // the working tree's file
  std::optional<TreeConfig> tree_config;  // nullopt: not typed
};

struct SettingsFile {
  Source source = Source::user;
  std::string path;
};

// The site's configuration file.
inline constexpr std::string_view k_site_file = "/etc/trainctl/config.yaml";

// The files of the working tree, the user and the site. "" = there is no place for one.
std::vector<SettingsFile> settings_files(const ConfigSources& sources);

// All settings; an earlier one takes precedence over a later one. Code::usage, with file and line,
// for a file that cannot be read, an unknown key, an invalid value, and secrets in a file. Reads
// the working tree's file only after the user's consent; otherwise stores why not in `unread_tree`,
// unless the user has switched the file off. If `site_fault` is set, skips an unusable file of the
// site and stores the reason there.
Result<std::vector<Setting>> read_settings(const ConfigSources& sources, Keys& keys,
                                           std::string* unread_tree,
                                           std::optional<Error>* site_fault);

// The settings of the working tree's file, for the user to agree to. Code::usage as above, when
// there is no such file, and when one that is named is not accepted.
Result<std::vector<Setting>> read_working_tree(const ConfigSources& sources, Keys& keys);

// Names the place where a file with this text sets a key: FILE:LINE, or FILE. `path`:
// the keys that lead there, outermost first.
std::string origin_of(const SettingsFile& file, const std::string& text,
                      std::vector<std::string> path);

// The settings of one file's content.
Result<std::vector<Setting>> file_settings(const SettingsFile& file, const std::string& text,
                                           const Environment& environment, Keys& keys);

// A TRAINCTL_* variable that is not a setting, and the one that was probably meant ("" = none is
// similar).
struct UnknownVariable {
  std::string name, near;
};
std::vector<UnknownVariable> unknown_variables(const Environment& environment, Keys& keys);

// Checks a key; Code::usage names the most similar one.
Status check_key(Keys& keys, const std::string& section, const std::string& key);

// Normalises a switch's value to true or false; yes, no, on, off, 1 and 0 are accepted, too.
std::string switch_word(const std::string& value);

}  // namespace trainctl::options
