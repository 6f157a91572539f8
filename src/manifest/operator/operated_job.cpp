// Applies the defaults of training-operator 1.9 to a copy of the job.
#include "manifest/operator/operated_job.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/json.h"

namespace trainctl::job {
namespace {

// The operator accepts roles in any case: "worker" counts as "Worker".
std::string role_name(const Kind& kind, const std::string& key) {
  for (const Role& role : kind.roles) {
    if (lower(key) == lower(role.name)) return std::string(role.name);
  }
  return key;
}

// The index of the container that the operator treats as the main one: the first if none has the
// kind's name.
std::size_t main_index(const Json& containers, std::string_view name) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    if (text_at(containers[i], "/name") == name) return i;
  }
  return 0;
}

void add_default_port(const Kind& kind, Json& pod) {
  const OperatedKind& operated = *kind.operated;
  if (operated.port_name.empty()) return;
  Json& containers = list_in(object_in(pod, "spec"), "containers");
  if (containers.empty()) return;
  Json& container = containers[main_index(containers, kind.container)];
  for (const Json& port : array_at(container, "/ports")) {
    if (text_at(port, "/name") == operated.port_name) return;
  }
  list_in(container, "ports")
      .push_back(Json{{"name", operated.port_name}, {"containerPort", operated.port}});
}

OperatedReplica make_replica(const Kind& kind, const std::string& key, const Json& spec) {
  OperatedReplica replica;
  replica.role = role_name(kind, key);
  replica.type = lower(replica.role);
  const Role* known = find_role(kind, replica.role);
  const Role& role = known == nullptr ? Role{} : *known;
  replica.count = static_cast<int>(int_at(spec, "/replicas").value_or(role.default_count));
  replica.restart_policy = text_at(spec, "/restartPolicy");
  if (replica.restart_policy.empty()) replica.restart_policy = role.restart_policy;
  replica.pod = object_at(spec, "/template");
  add_default_port(kind, replica.pod);
  return replica;
}

std::string clean_pod_policy(const OperatedKind& operated, const Json& spec) {
  const std::string policy = text_at(spec, "/runPolicy/cleanPodPolicy");
  if (!policy.empty()) return policy;
  const std::string elsewhere =
      operated.clean_pod_policy.empty() ? "" : text_at(spec, operated.clean_pod_policy);
  return elsewhere.empty() ? "None" : elsewhere;
}

}  // namespace

const OperatedReplica* OperatedJob::find_role(std::string_view role) const {
  const auto found = std::ranges::find_if(
      replicas, [role](const OperatedReplica& replica) { return replica.role == role; });
  return found == replicas.end() ? nullptr : &*found;
}

int OperatedJob::total() const {
  int sum = 0;
  for (const OperatedReplica& replica : replicas) sum += replica.count;
  return sum;
}

bool OperatedJob::has_leader() const {
  return std::ranges::any_of(replicas, [this](const OperatedReplica& replica) {
    const Role* role = job::find_role(*kind, replica.role);
    return role != nullptr && role->leads();
  });
}

OperatedJob operated_job(const Kind& kind, const Json& job) {
  OperatedJob operated;
  operated.kind = &kind;
  operated.ns = text_at(job, "/metadata/namespace");
  operated.name = text_at(job, "/metadata/name");
  operated.uid = text_at(job, "/metadata/uid");
  operated.spec = object_at(job, "/spec");
  for (const auto& [key, spec] : object_at(job, kind.replica_specs).items()) {
    operated.replicas.push_back(make_replica(kind, key, spec));
  }
  std::ranges::stable_sort(
      operated.replicas,
      [](const OperatedReplica& a, const OperatedReplica& b) { return a.role < b.role; });
  operated.clean_pod_policy = clean_pod_policy(*kind.operated, operated.spec);
  operated.ttl = int_at(operated.spec, "/runPolicy/ttlSecondsAfterFinished");
  operated.active_deadline = int_at(operated.spec, "/runPolicy/activeDeadlineSeconds");
  operated.backoff_limit = int_at(operated.spec, "/runPolicy/backoffLimit");
  operated.suspended = true_at(operated.spec, "/runPolicy/suspend");
  return operated;
}

std::string replica_name(const OperatedJob& job, std::string_view type, int index) {
  return cat(job.name, '-', type, '-', index);
}

const Json* main_container(const OperatedJob& job, const OperatedReplica& replica) {
  for (const Json& container : array_at(replica.pod, "/spec/containers")) {
    if (text_at(container, "/name") == job.kind->container) return &container;
  }
  return nullptr;
}

std::int64_t main_port(const OperatedJob& job, std::string_view role) {
  const OperatedReplica* replica = job.find_role(role);
  const Json* container = replica == nullptr ? nullptr : main_container(job, *replica);
  if (container == nullptr) return job.operated().port;
  for (const Json& port : array_at(*container, "/ports")) {
    if (text_at(port, "/name") != job.operated().port_name) continue;
    return int_at(port, "/containerPort").value_or(job.operated().port);
  }
  return job.operated().port;
}

}  // namespace trainctl::job
