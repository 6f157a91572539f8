// Knows the keys that a configuration may have, from the flags that the commands define.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "options/settings/keys.h"

namespace CLI {
class App;
}

namespace trainctl::cli {

class CommandTable;

class ConfigKeys : public options::Keys {
 public:
  explicit ConfigKeys(const CommandTable& commands);
  ~ConfigKeys() override;

  std::optional<options::ConfigKey> find(const std::string& section,
                                         const std::string& key) override;
  std::vector<std::string> names(const std::string& section) override;
  std::vector<std::string> sections() const override;
  bool is_section(const std::string& name) const override;

  // Returns the fault of a value; "" = none that can be detected without a job.
  std::string complaint(const std::string& section, const std::string& key,
                        const std::string& value);

 private:
  struct Entry;
  CLI::App& app(const std::string& section);

  const CommandTable& commands_;
  std::map<std::string, std::unique_ptr<Entry>> apps_;
};

}  // namespace trainctl::cli
