// Connects to the embedded cluster for --local.
#include "cli/local_cluster.h"

#include <utility>

#include "base/text/text.h"
#include "local/daemon/control.h"
#include "local/daemon/launch.h"
#include "local/daemon/places.h"
#include "local/disk.h"
#include "local/kubelet/loopback.h"
#include "status/pod_state.h"
#include "work/find/job_environment.h"

namespace trainctl::cli {

Status check_local_host() {
  return {};
}

Result<kube::Connection> local_connection(const Context& context) {
  TRY_ASSIGN(const local::DaemonPaths places, local::places(context.environment));
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

bool has_local_cluster(const Context& context) {
  const auto places = local::places(context.environment);
  return places && context.files.exists(places->database());
}

void tell_of_found_cluster(Context& context) {
  const auto places = local::places(context.environment);
  if (!places || context.console.quiet) return;
  const std::string told = places->state + "/found-told";
  if (context.trace_level == 0 && context.files.exists(told)) return;
  context.console.notice(
      "no kubeconfig: using your embedded cluster (trainctl config set local true)");
  (void)context.files.write(told, "");  // where that fails, it is told again
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
  TRY_ASSIGN(const local::DaemonPaths places, local::places(context.environment));
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

namespace {

bool has_started(const Json& pod, const Json& container) {
  const Json* status = job::container_status(pod, text_at(container, "/name"));
  return status != nullptr && !text_at(*status, "/containerID").empty();
}

local::Neighbourhood neighbourhood(const work::LocalAddresses& addresses, const Json& pod) {
  local::Neighbourhood around;
  around.ns = text_at(pod, "/metadata/namespace");
  for (const Json& service : addresses.services) {
    local::add_service(around, service, text_at(pod, "/metadata/name"));
  }
  around.local_port = [&ports = addresses.ports](std::string_view service, int port) {
    const auto chosen = int_at(ports, "/" + pointer_step(cat(service, ":", port)));
    return static_cast<int>(chosen.value_or(port));
  };
  return around;
}

// Facts of the pod itself, which the kubelet leaves as they are.
std::vector<std::string> names_about_pod(const Json& container) {
  std::vector<std::string> names;
  for (const Json& variable : array_at(container, "/env")) {
    const bool about_pod = find(variable, "/valueFrom/fieldRef") != nullptr;
    if (about_pod) names.push_back(text_at(variable, "/name"));
  }
  return names;
}

class DaemonCluster : public work::EmbeddedCluster {
 public:
  explicit DaemonCluster(Context& context) : context_(context) {}

  Status check_kind(const job::Kind& kind) const override {
    if (kind.operated != nullptr) return {};
    return Error{Code::usage, cat("the embedded cluster runs no ", kind.resource.kind, "s"),
                 "leave out --local, or submit a job of the training operator: submit-pytorch"};
  }

  Result<Json> ports(std::string_view job_uid) override {
    TRY_ASSIGN(const net::Response answer, ask(cat(local::k_ports_path, job_uid)));
    if (answer.head.status == 200) return parse_json(answer.body, "the embedded cluster's answer");
    return Error{
        Code::error, "the embedded cluster does not say which ports it chose",
        "the embedded cluster runs another version of trainctl; stop it: trainctl local down"};
  }

  std::vector<Json> ended_pods(std::string_view job_uid) override {
    const auto answer = ask(cat(local::k_ended_pods_path, job_uid));
    if (!answer || answer->head.status != 200) return {};
    const auto pods = parse_json(answer->body, "the embedded cluster's answer");
    if (!pods || !pods->is_array()) return {};
    return {pods->begin(), pods->end()};
  }

  void rewrite(const work::LocalAddresses& addresses, const Json& pod, const Json& container,
               std::vector<work::EnvironmentVariable>& variables) const override {
    if (addresses.services.empty() || !has_started(pod, container)) return;
    const local::Neighbourhood around = neighbourhood(addresses, pod);
    local::Variables values;
    for (const work::EnvironmentVariable& variable : variables) {
      if (variable.from.empty()) values[variable.name] = variable.value;
    }
    local::localize_ports(values, around);
    local::localize(values, around, names_about_pod(container));
    for (work::EnvironmentVariable& variable : variables) {
      if (variable.from.empty()) variable.value = values[variable.name];
    }
  }

  std::string what_hinders() const override {
    const auto places = local::places(context_.environment);
    return places ? local::what_disk_hinders(places->state) : "";
  }

  // On the user's own machine, neither node nor network is to blame.
  void set_following(std::string_view job_uid, job::FollowOptions& options) const override {
    options.goal.ends_repeats = true;
    options.logs.options.kept_pods = cat(local::k_ended_pods_path, job_uid);
    options.what_hinders = [this] { return what_hinders(); };
  }

  bool was_stopped(const Error& verdict) const override {
    return verdict.message == local::k_was_ended;
  }

 private:
  Result<net::Response> ask(std::string_view target) {
    TRY_ASSIGN(const kube::Connection connection, local_connection(context_));
    TRY_ASSIGN(const auto transport, context_.make_transport(connection.endpoint));
    return ask_local(context_, *transport, "GET", target, "");
  }

  Context& context_;
};

}  // namespace

std::unique_ptr<work::EmbeddedCluster> make_embedded(Context& context) {
  return std::make_unique<DaemonCluster>(context);
}

}  // namespace trainctl::cli
