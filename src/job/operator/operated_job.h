// A training job as the operator reads it, with all defaults of its replicas and run policy filled
// in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "job/operator/operated_kind.h"

namespace trainctl::job {

struct OperatedReplica {
  std::string role;  // key of the replica map: "Worker"
  std::string type;  // used in names and labels: "worker"
  int count = 1;
  std::string restart_policy;  // Always, OnFailure, Never, ExitCode, or what the user wrote
  Json pod = Json::object();   // the pod template, with the default port
};

struct OperatedJob {
  const OperatedKind* kind = nullptr;
  std::string ns, name, uid;
  std::vector<OperatedReplica> replicas;  // sorted by role name, which puts leaders before workers
  std::string clean_pod_policy;
  std::optional<std::int64_t> ttl;              // seconds after completion
  std::optional<std::int64_t> active_deadline;  // seconds after the start
  std::optional<std::int64_t> backoff_limit;
  bool suspended = false;
  Json spec = Json::object();  // as stored, for fields of a single kind

  const OperatedReplica* find_role(std::string_view role) const;
  int total() const;        // number of replicas of all roles
  bool has_leader() const;  // has a role that always holds rank 0
};

// The job with the defaults the operator applies in memory; they are never written back.
OperatedJob operated_job(const OperatedKind& kind, const Json& job);

// The name of a replica's pod: "JOB-worker-0".
std::string replica_name(const OperatedJob& job, std::string_view type, int index);

// The container the operator looks for, or nullptr.
const Json* main_container(const OperatedJob& job, const OperatedReplica& replica);

// The port of the kind's own name in a role's main container, else the kind's default.
std::int64_t main_port(const OperatedJob& job, std::string_view role);

}  // namespace trainctl::job
