// Credential plugins: how they are started, and how their output is read. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/loop/loop.h"
#include "base/result.h"
#include "kube/config/kubeconfig.h"

namespace trainctl::kube {

struct PluginAnswer {
  std::string token;
  std::string certificate_pem, key_pem;
  std::optional<Time> expires;  // absent: never
};

// `terminal` says that stdin is a terminal the plugin may use. Code::auth when it needs one and
// there is none.
Result<ChildSpec> plugin_child(const ExecPlugin& plugin, const Environment& env, bool terminal);

// Reads the plugin's stdout. Code::auth for everything that is not a usable ExecCredential.
Result<PluginAnswer> read_plugin_answer(const ExecPlugin& plugin, std::string_view output);

// Errors for a plugin that could not be started, did not end in time, or did not exit with 0.
Error plugin_missing(const ExecPlugin& plugin);
Error plugin_too_slow(const ExecPlugin& plugin, Duration limit);
Error plugin_failed(const ExecPlugin& plugin, int status);

}  // namespace trainctl::kube
