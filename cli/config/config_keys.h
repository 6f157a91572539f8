// The valid keys of a configuration: the flags of the commands, by their long names.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/setting.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

class CommandTable;

// The top level holds flags of all commands, and those of the submit-KIND commands, which only they
// read. The section of a command holds any flag of that command.
class ConfigKeys {
 public:
  explicit ConfigKeys(const CommandTable& commands);
  ~ConfigKeys();

  // Finds a key. `section` is a command's name, or "" for the top level; nullopt when no flag has
  // that name there.
  std::optional<ConfigKey> find(const std::string& section, const std::string& key);
  // All keys, without the flags of one role.
  std::vector<std::string> names(const std::string& section);

  // The commands that read a configuration, and so have a section.
  std::vector<std::string> sections() const;
  bool is_section(const std::string& name) const;

  // Returns the fault of a value; "" = none that can be detected without a job.
  std::string complaint(const std::string& section, const std::string& key,
                        const std::string& value);

 private:
  struct Entry;
  CLI::App& app(const std::string& section);
  bool tree_is_heard(const std::string& section) const;

  const CommandTable& commands_;
  std::map<std::string, std::unique_ptr<Entry>> apps_;
};

}  // namespace trainctl::cli
