// Prints the configuration for `trainctl config view` and `config get`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "options/table/choices.h"
#include "options/table/defaults.h"

namespace trainctl::cli {

// Reads all settings. Ignores a faulty file of the working tree, with a warning.
Result<std::vector<options::Setting>> settings_without_faults(Context& context);

// Prints the settings that apply here, as one configuration or as a table of origins.
Status view_configuration(Context& context, options::Format format, bool origin);

// Prints the presets; as text, only their names. Code::not_found when no file has any.
Status print_presets(Context& context, options::Format format,
                     const std::vector<options::Setting>& settings);

}  // namespace trainctl::cli
