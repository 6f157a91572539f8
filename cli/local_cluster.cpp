// From --local and its environment variable to a connection.
#include "cli/local_cluster.h"

#include <utility>

#include "base/text.h"

namespace trainctl::cli {
namespace {

// The first flag that names a cluster or a user of one; "" = none.
std::string_view cluster_flag(const kube::ConnectionFlags& flags) {
  const std::pair<std::string_view, bool> given[] = {
      {"--context", !flags.context.empty()},
      {"--kubeconfig", !flags.kubeconfig.empty()},
      {"--cluster", !flags.cluster.empty()},
      {"--user", !flags.user.empty()},
      {"--server", !flags.server.empty()},
      {"--token", !flags.token.empty()},
      {"--certificate-authority", !flags.certificate_authority.empty()},
      {"--client-certificate", !flags.client_certificate.empty()},
      {"--client-key", !flags.client_key.empty()},
      {"--tls-server-name", !flags.tls_server_name.empty()},
      {"--insecure-skip-tls-verify", flags.insecure},
      {"--as", !flags.as_user.empty()},
      {"--as-uid", !flags.as_uid.empty()},
      {"--as-group", !flags.as_groups.empty()},
  };
  for (const auto& [name, is_given] : given) {
    if (is_given) return name;
  }
  return "";
}

bool means_yes(const std::string& value) {
  const std::string word = lower(value);
  return !word.empty() && word != "0" && word != "false" && word != "no";
}

}  // namespace

Status choose_cluster(const Globals& globals, Context& context) {
  const std::string_view other = cluster_flag(globals.connection);
  if (globals.local == "true" && !other.empty()) {
    return Error{Code::usage, cat("--local and ", other, " name two clusters"),
                 "leave out one of them"};
  }
  const bool by_default = other.empty() && means_yes(context.environment.text("TRAINCTL_LOCAL"));
  context.local.chosen = globals.local.empty() ? by_default : globals.local == "true";
  if (!globals.local_gpus) return {};
  constexpr long k_most_gpus = 1024;
  if (*globals.local_gpus < 0 || *globals.local_gpus > k_most_gpus) {
    return Error{Code::usage, cat("--local-gpus: ", *globals.local_gpus, " is no number of GPUs"),
                 "--local-gpus=0 runs without"};
  }
  context.local.gpus = static_cast<int>(*globals.local_gpus);
  return {};
}

std::string local_namespace(const Context& context) {
  return context.connection_flags.ns.empty() ? "default" : context.connection_flags.ns;
}

Result<kube::Connection> local_connection(const Context& context) {
  TRY_ASSIGN(const local::Places places, local::places(context.environment));
  kube::Connection connection;
  connection.endpoint.base_url = "http://localhost";
  connection.endpoint.unix_socket = places.socket;
  connection.endpoint.compression = false;
  connection.auth.source = "the embedded cluster";
  connection.ns = local_namespace(context);
  if (!context.connection_flags.request_timeout.empty()) {
    TRY_ASSIGN(connection.request_timeout,
               parse_duration(context.connection_flags.request_timeout));
  }
  return connection;
}

local::Launch local_launch(const Context& context) {
  local::Launch launch;
  launch.program = context.program;
  launch.environment = context.environment;
  launch.gpus = context.local.gpus;
  return launch;
}

Result<std::unique_ptr<net::Transport>> start_local_cluster(
    const Context& context, std::unique_ptr<net::Transport> transport) {
  if (!context.local.start || context.program.empty()) return transport;
  TRY_ASSIGN(const local::Places places, local::places(context.environment));
  const local::Launch launch = local_launch(context);
  TRY(local::ensure_running(places, launch));
  return local::make_reviving_transport(
      std::move(transport),
      [reviver = std::make_shared<local::Reviver>(places, launch)] { return (*reviver)(); });
}

}  // namespace trainctl::cli
