// Connects to the embedded cluster for --local.
#include "cli/local_cluster.h"

#include <utility>

#include "base/text/text.h"
#include "local/daemon/control.h"

namespace trainctl::cli {

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

int running_daemon(const Context& context) {
  const auto places = local::places(context.environment);
  return places ? local::daemon_pid(*places) : 0;
}

std::string the_daemon(int process) {
  return process == 0 ? "the embedded cluster"
                      : cat("the embedded cluster (process ", process, ")");
}

local::Launch local_launch(const Context& context) {
  local::Launch launch;
  launch.program = context.program;
  launch.environment = context.environment;
  launch.gpus = context.local.gpus;
  launch.log_limit = context.local.log_limit;
  launch.on_wait = [&context] {
    if (!context.patient) return;
    const int process = running_daemon(context);
    context.console.notice(cat("waiting for ", the_daemon(process),
                               process == 0 ? " to start" : " to serve or to end"));
  };
  return launch;
}

Result<net::Response> ask_local(Context& context, net::Transport& transport,
                                const std::string& method, std::string_view target,
                                std::string body) {
  constexpr std::size_t k_namespace_answer_limit = std::size_t{1} << 20U;
  net::Request request;
  request.method = method;
  request.target = target;
  request.body = std::move(body);
  if (!request.body.empty()) request.headers = {{"Content-Type", "application/json"}};
  request.timeout = std::chrono::seconds(20);
  return await<Result<net::Response>>(context.loop, [&](auto done) {
    return net::collect(transport, std::move(request), std::move(done), k_namespace_answer_limit);
  });
}

namespace {

// On a real cluster, a namespace belongs to a team; on the embedded cluster, naming one means that
// it should exist.
void make_namespace(Context& context, net::Transport& transport) {
  const std::string ns = local_namespace(context);
  if (ns == "default") return;
  const Json object = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", ns}}}};
  // An existing namespace is refused; any other failure shows in the command's own request.
  (void)ask_local(context, transport, "POST", "/api/v1/namespaces", dump(object));
}

void compare_gpus(Context& context, net::Transport& transport) {
  if (context.local.gpus < 0) return;
  const auto answer = ask_local(context, transport, "GET", local::k_control_path, "");
  if (!answer) return;
  const auto facts = parse_json(answer->body, "the embedded cluster's answer");
  const auto gpus = facts ? int_at(*facts, "/gpus") : std::nullopt;
  if (gpus && *gpus != context.local.gpus) {
    context.console.warn(cat(
        "the embedded cluster is already running, with ", plural(static_cast<long>(*gpus), "GPU"),
        ": --local-gpus=", context.local.gpus, " takes effect after trainctl local down"));
  }
}

}  // namespace

Result<std::unique_ptr<net::Transport>> start_local_cluster(
    Context& context, std::unique_ptr<net::Transport> transport) {
  if (context.program.empty()) return transport;
  TRY_ASSIGN(const local::Places places, local::places(context.environment));
  // A user who can create a socket there could impersonate the cluster, also towards completion.
  TRY(local::check_socket_directory(places));
  if (!context.local.start) return transport;
  const local::Launch launch = local_launch(context);
  TRY(local::ensure_running(places, launch));
  make_namespace(context, *transport);
  compare_gpus(context, *transport);
  return local::make_reviving_transport(
      context.loop, std::move(transport),
      [reviver = std::make_shared<local::Reviver>(places, launch)] { return (*reviver)(); });
}

}  // namespace trainctl::cli
