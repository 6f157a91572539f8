// Defines them, and fills the context with what was typed.
#include "cli/options/globals.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/local_traits.h"

namespace trainctl::cli {
namespace {

constexpr Word<bool> k_yes_or_no[] = {{"true", true}, {"false", false}};
constexpr Word<std::optional<CiSystem>> k_ci_systems[] = {{"auto", std::nullopt},
                                                          {"github", CiSystem::github},
                                                          {"gitlab", CiSystem::gitlab},
                                                          {"plain", CiSystem::plain},
                                                          {"none", CiSystem::none}};
constexpr Word<int> k_levels[] = {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}, {"4", 4},
                                  {"5", 5}, {"6", 6}, {"7", 7}, {"8", 8}, {"9", 9}};

bool has_flag(const CLI::App& app, const std::string& name) {
  return app.get_option_no_throw(name) != nullptr;
}

}  // namespace

void add_globals(CLI::App& app, Globals& globals) {
  kube::ConnectionFlags& to = globals.connection;
  const auto free_letter = [&app](std::string letter, const std::string& name) {
    return has_flag(app, letter) ? name : letter + "," + name;
  };
  const FlagAdder general{app, std::string(k_group_general)};
  general.text(free_letter("-n", "--namespace"), to.ns, "NAMESPACE", "namespace to work in");
  general.text("--context", to.context, "NAME", "context of the kubeconfig");
  general.text("--kubeconfig", to.kubeconfig, "FILE", "kubeconfig to use instead of $KUBECONFIG");
  general
      .optional_choice("--local", globals.local, "true", k_yes_or_no,
                       "use the embedded cluster of this machine, starting it when needed")
      ->type_name("");
  general.toggle(free_letter("-q", "--quiet"), globals.quiet, "no notices on stderr");
  general.toggle("--no-color", globals.no_color, "no colour on a terminal");
  general.choice(
      "--ci", globals.ci, k_ci_systems,
      "CI system that reads the output: fold, annotate and sum up for it (default auto)");
  general
      .optional_choice("--verbose", globals.verbose, "1", k_levels, "show every request on stderr")
      ->type_name("[=N]");

  general.choice("--tree-config", globals.tree_config, k_tree_configs,
                 "read the working tree's .trainctl.yaml; trusted: agree to all it says");
  general.toggle("--no-tree-config", globals.no_tree_config, "the same as --tree-config=off");

  const FlagAdder add{app, std::string(k_group_connection)};
  add.text("--cluster", to.cluster, "NAME", "cluster of the kubeconfig");
  add.text("--user", to.user, "NAME", "user of the kubeconfig");
  add.text(free_letter("-s", "--server"), to.server, "URL", "address of the API server");
  add.text("--token", to.token, "TOKEN", "bearer token");
  add.text("--certificate-authority", to.certificate_authority, "FILE", "CA of the API server");
  add.text("--client-certificate", to.client_certificate, "FILE", "TLS client certificate");
  add.text("--client-key", to.client_key, "FILE", "key of the client certificate");
  add.toggle("--insecure-skip-tls-verify", to.insecure, "do not check the server's certificate");
  add.text("--tls-server-name", to.tls_server_name, "NAME", "name in the server's certificate");
  add.text("--as", to.as_user, "USER", "act as this user");
  add.text("--as-uid", to.as_uid, "UID", "act with this UID");
  add.list("--as-group", to.as_groups, "GROUP", "act as member of this group; repeatable");
  add.text("--request-timeout", to.request_timeout, "DURATION",
           "give up on one request after this long; 0 = never");
  add.count("--local-gpus", globals.local_gpus, "N",
            "GPUs an embedded cluster that is started has (default: those present)");
  add.count("--local-log-limit", globals.local_log_limit, "MIB",
            "MiB of logs that a started embedded cluster keeps of each job (default 2048)");
}

bool is_global_group(std::string_view group) {
  return group == k_group_general || group == k_group_connection;
}

void add_project_alias(CLI::App& app, Globals& globals) {
  FlagAdder{app, ""}.text("-p,--project", globals.connection.ns, "NAMESPACE",
                          "Run:ai's name for --namespace");
}

namespace {

// --local and --local-gpus. Code::usage when flags name two clusters.
Status choose_cluster(const Globals& globals, Context& context) {
  if (globals.local && !globals.cluster_flag.empty()) {
    return Error{Code::usage, cat("--local and --", globals.cluster_flag, " name two clusters"),
                 "leave out one of them"};
  }
  if (globals.local) context.embedded = make_embedded(context);
  context.local.log_limit = std::min(globals.local_log_limit.value_or(-1), 1L << 30);
  if (!globals.local_gpus) return {};
  constexpr long k_most_gpus = 1024;
  if (*globals.local_gpus < 0 || *globals.local_gpus > k_most_gpus) {
    return Error{Code::usage,
                 cat("--local-gpus: ", *globals.local_gpus, " is not a number of GPUs"),
                 "--local-gpus=0 runs without"};
  }
  context.local.gpus = static_cast<int>(*globals.local_gpus);
  return {};
}

}  // namespace

Status apply_globals(const Globals& globals, Context& context) {
  context.connection_flags = globals.connection;
  context.place = globals.place;
  context.trace_level = globals.verbose;
  if (globals.no_color) context.console.colour = false;
  if (globals.quiet) context.console.quiet = true;
  return choose_cluster(globals, context);
}

}  // namespace trainctl::cli
