// Asks for services and their ports, and rewrites values as the kubelet does. Secrets are not read
// for that.
#include "cli/jobs/started_environment.h"

#include "base/text.h"
#include "cli/jobs/batch_fetch.h"
#include "cli/local_cluster.h"
#include "job/status/pod_state.h"
#include "local/kubelet/loopback.h"

namespace trainctl::cli {
namespace {

constexpr kube::Resource k_services{"", "v1", "services", "Service"};

bool has_started(const Json& pod, const Json& container) {
  const Json* status = job::container_status(pod, text_at(container, "/name"));
  return status != nullptr && !text_at(*status, "/containerID").empty();
}

local::Neighbourhood neighbourhood(const LocalAddresses& addresses, const Json& pod) {
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

}  // namespace

Result<LocalAddresses> local_addresses(Context& context, const FoundJob& job) {
  LocalAddresses addresses;
  if (!context.local.chosen) return addresses;
  TRY_ASSIGN(kube::Client * client, context.client());
  std::vector<Listing> services = {{.resource = k_services, .ns = job.ns()}};
  fetch_together(*client, services);
  if (const auto& failure = services[0].failure) return failure->error;
  addresses.services = std::move(services[0].objects);
  TRY_ASSIGN(addresses.ports, local_ports(context, job.uid()));
  return addresses;
}

void apply(const LocalAddresses& addresses, const Json& pod, const Json& container,
           std::vector<EnvironmentVariable>& variables) {
  if (addresses.services.empty() || !has_started(pod, container)) return;
  const local::Neighbourhood around = neighbourhood(addresses, pod);
  local::Variables values;
  for (const EnvironmentVariable& variable : variables) {
    if (variable.from.empty()) values[variable.name] = variable.value;
  }
  local::localize_ports(values, around);
  local::localize(values, around, names_about_pod(container));
  for (EnvironmentVariable& variable : variables) {
    if (variable.from.empty()) variable.value = values[variable.name];
  }
}

}  // namespace trainctl::cli
