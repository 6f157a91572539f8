// Reads the configuration for a command, and warns about a working tree's file that is ignored.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "options/settings/settings.h"

namespace trainctl::cli {

// The parts of the context that a configuration is read from; they last as long as the context.
options::ConfigSources config_sources(const Context& context);

// See options::read_settings.
Result<std::vector<options::Setting>> read_settings(const Context& context,
                                                    options::Effect effect = options::Effect::reads,
                                                    std::optional<Error>* tree_fault = nullptr,
                                                    std::optional<Error>* site_fault = nullptr);

// Warns that the working tree's file is ignored because of `fault`.
void warn_of_tree(const Context& context, const Error& fault);

// True when jobs may run as processes of this user: with --local, or with a kubeconfig whose server
// is on the loopback, since that may be the embedded cluster.
bool runs_here(const Context& context);

}  // namespace trainctl::cli
