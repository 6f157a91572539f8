// Reads the pods that there are, and predicts the others.
#include "work/find/job_environment.h"

#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "manifest/environment.h"
#include "manifest/kind/replica.h"
#include "manifest/operator/wanted_objects.h"
#include "manifest/program.h"
#include "status/pod_state.h"
#include "work/access.h"
#include "work/find/batch_fetch.h"
#include "work/find/find_job.h"
#include "work/find/worker_cluster.h"

namespace trainctl::work {
namespace {

class Reading {
 public:
  Reading(const Json& pod, const Json& container) : pod_(pod), container_(container) {}

  void add_all_of(const Json& source) {
    for (const auto& [member, word] :
         {std::pair{"/secretRef", "secret"}, {"/configMapRef", "configmap"}}) {
      const Json* from = find(source, member);
      if (from == nullptr) continue;
      variables.push_back(
          {text_at(source, "/prefix") + "*", "", cat(word, ":", text_at(*from, "/name"), "/*")});
    }
  }

  void add(const Json& variable) {
    EnvironmentVariable read{text_at(variable, "/name"), "", ""};
    std::erase_if(variables, [&read](const auto& other) { return other.name == read.name; });
    const Json* from = find(variable, "/valueFrom");
    if (from == nullptr) {
      read.value = job::expanded(text_at(variable, "/value"), known_);
    } else {
      follow(*from, read);
    }
    if (read.from.empty()) {
      known_[read.name] = read.value;
    } else {
      known_.erase(read.name);  // $(NAME) stays as it is
    }
    variables.push_back(std::move(read));
  }

  std::vector<EnvironmentVariable> variables;

 private:
  void follow(const Json& from, EnvironmentVariable& read) const {
    for (const auto& [member, word] :
         {std::pair{"/secretKeyRef", "secret"}, {"/configMapKeyRef", "configmap"}}) {
      const Json* key = find(from, member);
      if (key == nullptr) continue;
      read.from = cat(word, ":", text_at(*key, "/name"), "/", text_at(*key, "/key"));
      return;
    }
    if (const Json* field = find(from, "/fieldRef")) {
      const std::string path = text_at(*field, "/fieldPath");
      read.value = job::field_of(pod_, path).value_or("");
      if (read.value.empty()) read.from = "field:" + path;
    } else if (const Json* resource = find(from, "/resourceFieldRef")) {
      follow_resource(*resource, read);
    }
  }

  // The node decides about resources that the container does not request.
  void follow_resource(const Json& resource, EnvironmentVariable& read) const {
    const std::string path = text_at(resource, "/resource");
    const bool own = text_at(resource, "/containerName").empty();
    const auto amount =
        own ? job::resource_of(container_, path, text_at(resource, "/divisor", "1")) : std::nullopt;
    (amount ? read.value : read.from) = amount.value_or("resource:" + path);
  }

  const Json& pod_;
  const Json& container_;
  job::Variables known_;
};

// Returns the variables in the container's order; a name given twice has its later value, as in the
// container. Values taken from the pod (its labels, its node) are filled in as far as they are
// known.
std::vector<EnvironmentVariable> environment_of(const Json& pod, const Json& container) {
  Reading reading(pod, container);
  for (const Json& source : array_at(container, "/envFrom")) reading.add_all_of(source);
  for (const Json& variable : array_at(container, "/env")) reading.add(variable);
  return std::move(reading.variables);
}

// The addresses that the embedded cluster gives to a job's services. Empty for a job of another
// cluster.
Result<LocalAddresses> local_addresses(Access& access, const FoundJob& job) {
  constexpr kube::Resource k_services{"", "v1", "services", "Service"};
  LocalAddresses addresses;
  if (!access.embedded) return addresses;
  TRY_ASSIGN(kube::Client * client, access.client());
  std::vector<Listing> services = {{.resource = k_services, .ns = job.ns()}};
  fetch_together(*client, services);
  if (const auto& failure = services[0].failure) return failure->error;
  addresses.services = std::move(services[0].objects);
  TRY_ASSIGN(addresses.ports, access.embedded->ports(job.uid()));
  return addresses;
}

Result<std::vector<Json>> pods_of(Access& access, FoundJob job) {
  auto pods = take_pods(access, job, {});
  if (pods) return pods;
  Error why = std::move(pods).error();
  if (why.code == Code::not_started) return std::vector<Json>();
  if (why.code != Code::auth && why.code != Code::usage) return why;
  access.console.warn(cat("cannot read the pods, so this is what the operator would set: ",
                          why.message, why.code == Code::usage ? cat("; ", why.hint) : ""));
  return std::vector<Json>();
}

const Json* container_named(const Json& pod, const std::string& name) {
  for (const char* list : {"/spec/containers", "/spec/initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      if (text_at(container, "/name") == name) return &container;
    }
  }
  return nullptr;
}

Result<ReplicaEnvironment> of_replica(const Access& access, const FoundJob& job,
                                      const job::ReplicaId& replica, const SubmittedPods& there,
                                      const std::string& named_container) {
  ReplicaEnvironment environment{replica, job::rank_of(*job.kind, job.object, replica), "", "", {}};
  const auto own = std::ranges::find_if(there.pods, [&](const Json& pod) {
    return job::replica_of(*job.kind, pod) == replica && !kube::is_being_deleted(pod);
  });
  const bool has_pod = own != there.pods.end();
  if (!has_pod && job::runs_by_runtime(*job.kind)) {
    return Error{Code::not_found,
                 cat(replica.name(), " has no pod yet, and a runtime sets the environment of a ",
                     job.kind->resource.kind, "'s pods"),
                 "try again when its pods exist"};
  }
  const Json pod = has_pod ? *own : job::predicted_pod(*job.kind, job.object, replica);
  if (has_pod) environment.pod = text_at(pod, "/metadata/name");
  environment.container =
      named_container.empty() ? job::main_container(*job.kind, pod) : named_container;
  const Json* container = container_named(pod, environment.container);
  if (container == nullptr) {
    return Error{Code::not_found, cat(replica.name(), " has no container ", environment.container),
                 "leave out -c for the training container"};
  }
  environment.variables = environment_of(pod, *container);
  if (has_pod && access.embedded) {
    access.embedded->rewrite(there.addresses, pod, *container, environment.variables);
  }
  return environment;
}

Result<std::vector<job::ReplicaId>> wanted_replicas(const FoundJob& job,
                                                    const SubmittedPods& there) {
  if (!job.replica.empty()) {
    TRY_ASSIGN(const auto one, job::find_replica(*job.kind, job.object, job.replica));
    return std::vector{one};
  }
  std::vector<job::ReplicaId> present;
  for (const Json& pod : there.pods) {
    if (const auto replica = job::replica_of(*job.kind, pod)) present.push_back(*replica);
  }
  return job::expected_replicas(*job.kind, job.object, present);
}

}  // namespace

Result<SubmittedPods> submitted_pods(Access& access, const FoundJob& job) {
  SubmittedPods there;
  TRY_ASSIGN(there.pods, pods_of(access, job));
  TRY_ASSIGN(there.addresses, local_addresses(access, job));
  return there;
}

Result<std::vector<ReplicaEnvironment>> environments_of(const Access& access, const FoundJob& job,
                                                        const SubmittedPods& there,
                                                        const std::string& container) {
  TRY_ASSIGN(const auto wanted, wanted_replicas(job, there));
  std::vector<ReplicaEnvironment> all;
  for (const job::ReplicaId& replica : wanted) {
    TRY_ASSIGN(ReplicaEnvironment one, of_replica(access, job, replica, there, container));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace trainctl::work
