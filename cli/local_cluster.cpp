// From --local to a connection.
#include "cli/local_cluster.h"

#include <utility>

#include "base/text.h"
#include "local/daemon/control.h"

namespace trainctl::cli {
namespace {

using Flags = kube::ConnectionFlags;

struct ClusterFlag {
  std::string_view name;
  bool (*given)(const Flags& flags);
};
constexpr ClusterFlag k_cluster_flags[] = {
    {"context", [](const Flags& flags) { return !flags.context.empty(); }},
    {"kubeconfig", [](const Flags& flags) { return !flags.kubeconfig.empty(); }},
    {"cluster", [](const Flags& flags) { return !flags.cluster.empty(); }},
    {"user", [](const Flags& flags) { return !flags.user.empty(); }},
    {"server", [](const Flags& flags) { return !flags.server.empty(); }},
    {"token", [](const Flags& flags) { return !flags.token.empty(); }},
    {"certificate-authority",
     [](const Flags& flags) { return !flags.certificate_authority.empty(); }},
    {"client-certificate", [](const Flags& flags) { return !flags.client_certificate.empty(); }},
    {"client-key", [](const Flags& flags) { return !flags.client_key.empty(); }},
    {"tls-server-name", [](const Flags& flags) { return !flags.tls_server_name.empty(); }},
    {"insecure-skip-tls-verify", [](const Flags& flags) { return flags.insecure; }},
    {"as", [](const Flags& flags) { return !flags.as_user.empty(); }},
    {"as-uid", [](const Flags& flags) { return !flags.as_uid.empty(); }},
    {"as-group", [](const Flags& flags) { return !flags.as_groups.empty(); }},
};

// The first that was given; "" = none.
std::string_view cluster_flag(const Flags& flags) {
  for (const ClusterFlag& flag : k_cluster_flags) {
    if (flag.given(flags)) return flag.name;
  }
  return "";
}

}  // namespace

bool names_cluster(std::string_view flag) {
  for (const ClusterFlag& known : k_cluster_flags) {
    if (known.name == flag) return true;
  }
  return false;
}

Status choose_cluster(const Globals& globals, Context& context) {
  const std::string_view other = cluster_flag(globals.connection);
  if (globals.local == "true" && !other.empty()) {
    return Error{Code::usage, cat("--local and --", other, " name two clusters"),
                 "leave out one of them"};
  }
  context.local.chosen = globals.local == "true";
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

namespace {

Result<net::Response> ask(Context& context, net::Transport& transport, const std::string& method,
                          std::string_view target, std::string body) {
  constexpr std::size_t k_answer_limit = std::size_t{1} << 20U;
  net::Request request;
  request.method = method;
  request.target = target;
  request.body = std::move(body);
  if (!request.body.empty()) request.headers = {{"Content-Type", "application/json"}};
  request.timeout = std::chrono::seconds(20);
  return await<Result<net::Response>>(context.loop, [&](auto done) {
    return net::collect(transport, std::move(request), std::move(done), k_answer_limit);
  });
}

// A namespace is a team's on a real cluster; here whoever names one wants it to be there.
void make_namespace(Context& context, net::Transport& transport) {
  const std::string ns = local_namespace(context);
  if (ns == "default") return;
  const Json object = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}};
  // One that is there already is refused; of any other failure the command's own request speaks.
  (void)ask(context, transport, "POST", "/api/v1/namespaces", dump(object));
}

void compare_gpus(Context& context, net::Transport& transport) {
  if (context.local.gpus < 0) return;
  const auto answer = ask(context, transport, "GET", local::k_control_path, "");
  if (!answer) return;
  const auto facts = parse_json(answer->body, "the embedded cluster's answer");
  const auto gpus = facts ? int_at(*facts, "/gpus") : std::nullopt;
  if (gpus && *gpus != context.local.gpus) {
    context.console.warn(cat(
        "the embedded cluster runs already, with ", plural(static_cast<long>(*gpus), "GPU"),
        ": --local-gpus=", context.local.gpus, " counts once trainctl local down has ended it"));
  }
}

}  // namespace

Result<std::unique_ptr<net::Transport>> start_local_cluster(
    Context& context, std::unique_ptr<net::Transport> transport) {
  if (!context.local.start || context.program.empty()) return transport;
  TRY_ASSIGN(const local::Places places, local::places(context.environment));
  const local::Launch launch = local_launch(context);
  TRY(local::ensure_running(places, launch));
  make_namespace(context, *transport);
  compare_gpus(context, *transport);
  return local::make_reviving_transport(
      context.loop, std::move(transport),
      [reviver = std::make_shared<local::Reviver>(places, launch)] { return (*reviver)(); });
}

}  // namespace trainctl::cli
