// Reads the configuration for a command, and says when a working tree's file is not read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "options/settings/settings.h"

namespace trainctl::cli {

// The parts of the context that a configuration is read from; they last as long as the context.
options::ConfigSources config_sources(const Context& context);

// See options::read_settings.
Result<std::vector<options::Setting>> read_settings(const Context& context,
                                                    std::string* unread_tree = nullptr,
                                                    std::optional<Error>* site_fault = nullptr);

// Says why the working tree's file is not read; "" = it is.
void tell_of_tree(const Context& context, const std::string& unread);

}  // namespace trainctl::cli
