// Reads the configuration: TRAINCTL_* variables and files, highest precedence first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "options/settings/working_tree.h"
#include "options/table/choices.h"
#include "options/table/defaults.h"

namespace trainctl::options {

// The valid keys of a configuration, which the commands know: their flags, by their long names.
// The top level holds flags of all commands, and those of the submit-KIND commands, which only they
// read. The section of a command holds any flag of that command.
class Keys {
 public:
  virtual ~Keys() = default;

  // Finds a key. `section` is a command's name, or "" for the top level; nullopt when no flag has
  // that name there.
  virtual std::optional<ConfigKey> find(const std::string& section, const std::string& key) = 0;
  // All keys, without the flags of one role.
  virtual std::vector<std::string> names(const std::string& section) = 0;

  // The commands that read a configuration, and so have a section.
  virtual std::vector<std::string> sections() const = 0;
  virtual bool is_section(const std::string& name) const = 0;
};

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

// Stores a digest of that content as agreed to: of the content that this command has read, not of
// what the files hold by then.
Status agree(const ConfigSources& sources, const std::vector<Setting>& settings);

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
// [{"key","value","origin"}], without secrets.
Json settings_report(const std::vector<Setting>& settings);

}  // namespace trainctl::options
