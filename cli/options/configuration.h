// Reads the configuration for a command, and reports a working tree's file that is left out.
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

// Warns that the working tree's file is left out because of `fault`.
void warn_of_tree(const Context& context, const Error& fault);

// True when jobs may run as processes of this user: with --local, and with the kubeconfig of its
// port, which like every server on the loopback counts as the embedded cluster.
bool runs_here(const Context& context);

}  // namespace trainctl::cli
