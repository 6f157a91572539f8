// A training job as the operator reads it, with all defaults of its replicas and run policy filled
// in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

struct OperatedJob;
struct OperatedReplica;

// How the operator derives a job's conditions from the counts of its replicas.
enum class VerdictRule {
  ranked,             // the leader's end is the job's; without a leader, that of all workers
  ranked_or_elastic,  // the same, but with an elasticPolicy one worker's success is enough
  led,                // the leader's success, and any failure, end the job
  led_once_running,   // the same, but the job gets the condition Running first
  tensorflow,         // that of a chief, else successPolicy's
};

// What training-operator 1.9 does with the jobs of a kind.
struct OperatedKind {
  std::string_view port_name = "";  // "" = no port is added to the container
  std::int64_t port = 0;

  // In a job without a leader: true = worker 0 carries the label job-role=master; false = no pod
  // does.
  bool first_worker_leads = false;
  // Pointer to another field of spec that may hold the clean-up policy; "" = none.
  std::string_view clean_pod_policy = "";

  // Adds the variables with rank, addresses and world size to the pod (spec and all). When a
  // container has a variable twice, the last one counts, so users cannot override these.
  void (*set_environment)(const OperatedJob& job, const OperatedReplica& replica, int index,
                          Json& pod) = nullptr;
  // Builds the whole pod, for kinds whose pod is more than a template and its environment.
  Json (*make_pod)(const OperatedJob& job, const OperatedReplica& replica, int index) = nullptr;

  VerdictRule verdict_rule = VerdictRule::ranked;
  bool selector_in_status = false;  // replicaStatuses carry a label selector
  bool honours_managed_by = true;
  // Reason of the event when the TTL expires.
  std::string_view deleted_reason = "SuccessfulDeleteJob";
  std::string_view failed_reason = "";  // of the Failed condition; "" = KINDFailed
};

struct OperatedReplica {
  std::string role;  // key of the replica map: "Worker"
  std::string type;  // used in names and labels: "worker"
  int count = 1;
  std::string restart_policy;  // Always, OnFailure, Never, ExitCode, or what the user wrote
  Json pod = Json::object();   // the pod template, with the default port
};

struct OperatedJob {
  const Kind* kind = nullptr;
  std::string ns, name, uid;
  std::vector<OperatedReplica> replicas;  // sorted by role name, which puts leaders before workers
  std::string clean_pod_policy;
  std::optional<std::int64_t> ttl;              // seconds after completion
  std::optional<std::int64_t> active_deadline;  // seconds after the start
  std::optional<std::int64_t> backoff_limit;
  bool suspended = false;
  Json spec = Json::object();  // as stored, for fields of a single kind

  const OperatedKind& operated() const { return *kind->operated; }
  const OperatedReplica* find_role(std::string_view role) const;
  int total() const;        // number of replicas of all roles
  bool has_leader() const;  // has a role that always holds rank 0
};

// The job with the defaults the operator applies in memory; they are never written back.
// `kind`: one with Kind::operated.
OperatedJob operated_job(const Kind& kind, const Json& job);

// The name of a replica's pod: "JOB-worker-0".
std::string replica_name(const OperatedJob& job, std::string_view type, int index);

// The container the operator looks for, or nullptr.
const Json* main_container(const OperatedJob& job, const OperatedReplica& replica);

// The port of the kind's own name in a role's main container, else the kind's default.
std::int64_t main_port(const OperatedJob& job, std::string_view role);

}  // namespace trainctl::job
