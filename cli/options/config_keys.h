// Reads the configuration for a command; its keys are the flags that the commands define.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "options/settings/settings.h"

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

// The parts of the context that a configuration is read from; they last as long as the context.
options::ConfigSources config_sources(const Context& context);

// See options::read_settings.
Result<std::vector<options::Setting>> read_settings(const Context& context,
                                                    std::string* unread_tree = nullptr,
                                                    std::optional<Error>* site_fault = nullptr);

// The context that the configuration has for this worker cluster of MultiKueue; Code::usage.
Result<std::string> worker_context(const Context& context, const std::string& worker);

// Says why the working tree's file is not read; "" = it is.
void tell_of_tree(const Context& context, const std::string& unread);

}  // namespace trainctl::cli
