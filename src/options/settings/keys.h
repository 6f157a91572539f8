// The valid keys of a configuration, which the commands know: their flags, by their long names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/table/setting.h"

namespace trainctl::options {

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

}  // namespace trainctl::options
