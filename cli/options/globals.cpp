// Defines the options of every command, and copies typed values into the context.
#include "cli/options/globals.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "cli/local_cluster.h"

namespace trainctl::cli {
void add_globals(CLI::App& app, std::string_view command, Globals& globals) {
  kube::ConnectionFlags& to = globals.connection;
  const OptionBinder bind(app, command);
  bind("namespace", to.ns);
  bind("context", to.context);
  bind("kubeconfig", to.kubeconfig);
  bind("local", globals.local);
  bind("quiet", globals.quiet);
  bind("no-color", globals.no_color);
  bind("ci", globals.ci);
  bind("verbose", globals.verbose);

  bind("tree-config", globals.tree_config);

  bind("cluster", to.cluster);
  bind("user", to.user);
  bind("server", to.server);
  bind("token", to.token);
  bind("certificate-authority", to.certificate_authority);
  bind("client-certificate", to.client_certificate);
  bind("client-key", to.client_key);
  bind("insecure-skip-tls-verify", to.insecure);
  bind("tls-server-name", to.tls_server_name);
  bind("as", to.as_user);
  bind("as-uid", to.as_uid);
  bind("as-group", to.as_groups);
  bind("request-timeout", to.request_timeout);
  bind("local-gpus", globals.local_gpus);
  bind("local-log-limit", globals.local_log_limit);
}

bool is_global_group(std::string_view group) {
  return group == k_group_general || group == k_group_connection;
}

namespace {

// A command that makes a job of its own runs it on this machine only if --local says so.
bool makes_jobs(std::string_view command) {
  return command.starts_with("submit") || options::lists("dev check convert", command);
}

// --local and --local-gpus. Code::usage when flags name two clusters.
Status choose_cluster(std::string_view command, const Globals& globals, Context& context) {
  if (globals.local && !globals.cluster_flag.empty()) {
    return Error{Code::usage, cat("--local and --", globals.cluster_flag, " name two clusters"),
                 "leave out one of them"};
  }
  if (globals.local) TRY(check_local_host());
  const bool is_open = globals.cluster_flag.empty() && context.connection_flags.kubeconfig.empty();
  context.local.is_found = !globals.local && is_open && !makes_jobs(command) &&
                           kube::names_no_cluster(context.files, context.environment) &&
                           has_local_cluster(context);
  if (globals.local || context.local.is_found) context.embedded = make_embedded(context);
  context.local.log_limit = std::min(globals.local_log_limit.value_or(-1), 1L << 30);
  if (!globals.local_gpus) return {};
  constexpr long k_most_gpus = 1024;
  if (*globals.local_gpus < 0 || *globals.local_gpus > k_most_gpus) {
    return Error{
        Code::usage,
        cat("--local-gpus: ", *globals.local_gpus, " is not a number from 0 to ", k_most_gpus),
        "--local-gpus=0 runs without GPUs"};
  }
  context.local.gpus = static_cast<int>(*globals.local_gpus);
  return {};
}

// A number is rather another program's -n or -p: a count, or a port.
Status check_namespace(std::string_view command, const std::string& ns) {
  if (ns.empty() || ns.find_first_not_of("0123456789") != std::string::npos) return {};
  std::string instead = cat("name a port instead: trainctl port-forward JOB ", ns);
  if (command == "submit") {
    instead = cat("write into a batch script: #SBATCH --ntasks=", ns,
                  "; --workers=N is the number of its nodes");
  } else if (command.starts_with("submit") || command == "rerun") {
    const long nodes = parse_number<long>(ns).value_or(1);
    instead = cat("write --workers=", std::max(0L, nodes - 1),
                  " (the master is one more node), or --port=", ns);
  } else if (command == "top") {
    instead = "leave it out: trainctl top prints once, and again only with -w";
  } else if (command == "history" || command == "grep") {
    instead = cat("name a count instead: trainctl ", command, " --limit ", ns);
  } else if (command == "logs") {
    instead = cat("name a count instead: trainctl logs JOB --tail ", ns);
  }
  return Error{Code::usage,
               cat("-n ", ns, " and -p ", ns, " mean namespace ", ns, ", not a count or a port"),
               std::move(instead)};
}

}  // namespace

Status apply_globals(std::string_view command, const Globals& globals, Context& context) {
  TRY(check_namespace(command, globals.connection.ns));
  context.connection_flags = globals.connection;
  context.cluster_flags = globals.cluster_flags;
  context.trace_level = globals.verbose;
  if (globals.no_color) context.console.colour = false;
  if (globals.quiet) context.console.quiet = true;
  return choose_cluster(command, globals, context);
}

}  // namespace trainctl::cli
