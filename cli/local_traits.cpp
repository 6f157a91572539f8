// Asks the daemon, and applies the rules of its operator and its kubelet.
#include "cli/local_traits.h"

#include "base/text/text.h"
#include "cli/local_cluster.h"
#include "job/status/pod_state.h"
#include "local/daemon/control.h"
#include "local/daemon/places.h"
#include "local/disk.h"
#include "local/kubelet/loopback.h"
#include "local/operator/kind.h"
#include "work/find/job_environment.h"

namespace trainctl::cli {
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

class Traits : public work::EmbeddedCluster {
 public:
  explicit Traits(Context& context) : context_(context) {}

  Status check_kind(const job::Kind& kind) const override {
    if (local::find_controller_rules(kind) != nullptr) return {};
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
    options.ends_repeats = true;
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
  return std::make_unique<Traits>(context);
}

}  // namespace trainctl::cli
