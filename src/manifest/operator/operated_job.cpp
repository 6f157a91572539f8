// Applies the defaults of training-operator 1.9 to a copy of the job.
#include "manifest/operator/operated_job.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/json.h"
#include "manifest/operator/environment.h"
#include "manifest/operator/mpi.h"

namespace trainctl::job {
namespace {

constexpr OperatedKind k_operated_kinds[] = {
    {.alias = "pytorch",
     .port_name = "pytorchjob-port",
     .port = 23456,
     .first_worker_leads = true,
     .set_environment = set_pytorch_environment},
    {.alias = "tf",
     .port_name = "tfjob-port",
     .port = 2222,
     .first_worker_leads = true,
     .set_environment = set_tf_environment},
    {.alias = "mpi", .clean_pod_policy = "/cleanPodPolicy", .make_pod = mpi_pod},
    {.alias = "xgboost",
     .port_name = "xgboostjob-port",
     .port = 9999,
     .set_environment = set_xgboost_environment},
    {.alias = "paddle",
     .port_name = "master",
     .port = 36543,
     .set_environment = set_paddle_environment},
    {.alias = "jax",
     .port_name = "jaxjob-port",
     .port = 6666,
     .first_worker_leads = true,
     .set_environment = set_jax_environment},
};

}  // namespace

const Kind& OperatedKind::job_kind() const {
  const auto all = operator_kinds();
  return *std::ranges::find_if(all, [this](const Kind& kind) { return kind.alias == alias; });
}

const OperatedKind* find_operated_kind(const Kind& kind) {
  for (const OperatedKind& row : k_operated_kinds) {
    if (&row.job_kind() == &kind) return &row;
  }
  return nullptr;
}

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

void add_default_port(const OperatedKind& kind, Json& pod) {
  if (kind.port_name.empty()) return;
  Json& containers = list_in(object_in(pod, "spec"), "containers");
  if (containers.empty()) return;
  Json& container = containers[main_index(containers, kind.job_kind().container)];
  for (const Json& port : array_at(container, "/ports")) {
    if (text_at(port, "/name") == kind.port_name) return;
  }
  list_in(container, "ports")
      .push_back(Json{{"name", kind.port_name}, {"containerPort", kind.port}});
}

OperatedReplica make_replica(const OperatedKind& kind, const std::string& key, const Json& spec) {
  OperatedReplica replica;
  replica.role = role_name(kind.job_kind(), key);
  replica.type = lower(replica.role);
  const Role* known = find_role(kind.job_kind(), replica.role);
  const Role& role = known == nullptr ? Role{} : *known;
  replica.count = static_cast<int>(int_at(spec, "/replicas").value_or(role.default_count));
  replica.restart_policy = text_at(spec, "/restartPolicy");
  if (replica.restart_policy.empty()) replica.restart_policy = role.restart_policy;
  replica.pod = object_at(spec, "/template");
  add_default_port(kind, replica.pod);
  return replica;
}

std::string clean_pod_policy(const OperatedKind& kind, const Json& spec) {
  const std::string policy = text_at(spec, "/runPolicy/cleanPodPolicy");
  if (!policy.empty()) return policy;
  const std::string elsewhere =
      kind.clean_pod_policy.empty() ? "" : text_at(spec, kind.clean_pod_policy);
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
    const Role* role = job::find_role(kind->job_kind(), replica.role);
    return role != nullptr && role->leads();
  });
}

OperatedJob operated_job(const OperatedKind& kind, const Json& job) {
  OperatedJob operated;
  operated.kind = &kind;
  operated.ns = text_at(job, "/metadata/namespace");
  operated.name = text_at(job, "/metadata/name");
  operated.uid = text_at(job, "/metadata/uid");
  operated.spec = object_at(job, "/spec");
  for (const auto& [key, spec] : object_at(job, kind.job_kind().replica_specs).items()) {
    operated.replicas.push_back(make_replica(kind, key, spec));
  }
  std::ranges::stable_sort(
      operated.replicas,
      [](const OperatedReplica& a, const OperatedReplica& b) { return a.role < b.role; });
  operated.clean_pod_policy = clean_pod_policy(kind, operated.spec);
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
    if (text_at(container, "/name") == job.kind->job_kind().container) return &container;
  }
  return nullptr;
}

std::int64_t main_port(const OperatedJob& job, std::string_view role) {
  const OperatedReplica* replica = job.find_role(role);
  const Json* container = replica == nullptr ? nullptr : main_container(job, *replica);
  if (container == nullptr) return job.kind->port;
  for (const Json& port : array_at(*container, "/ports")) {
    if (text_at(port, "/name") != job.kind->port_name) continue;
    return int_at(port, "/containerPort").value_or(job.kind->port);
  }
  return job.kind->port;
}

}  // namespace trainctl::job
