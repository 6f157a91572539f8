// A training job as the operator reads it: its replicas and its run policy with every default in
// place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "job/operator/operated_kind.h"

namespace trainctl::job {

struct OperatedReplica {
  std::string role;  // key of the replica map: "Worker"
  std::string type;  // in names and labels: "worker"
  int count = 1;
  std::string restart_policy;  // Always, OnFailure, Never, ExitCode, or what the user wrote
  Json pod = Json::object();   // the pod template, with the default port
};

struct OperatedJob {
  const OperatedKind* kind = nullptr;
  std::string ns, name, uid;
  std::vector<OperatedReplica> replicas;  // by name of their role: leaders come before workers
  std::string clean_pod_policy;
  std::optional<std::int64_t> ttl;              // seconds after completion
  std::optional<std::int64_t> active_deadline;  // seconds after the start
  std::optional<std::int64_t> backoff_limit;
  bool suspended = false;
  Json spec = Json::object();  // as stored, for what only one kind has

  const OperatedReplica* find_role(std::string_view role) const;
  int total() const;        // replicas of all roles
  bool has_leader() const;  // a role that holds rank 0 whenever it is there
};

// The job with the defaults the operator applies in memory; they are never written back.
OperatedJob operated_job(const OperatedKind& kind, const Json& job);

// "JOB-worker-0".
std::string replica_name(const OperatedJob& job, std::string_view type, int index);

// The container the operator looks for, or nullptr.
const Json* main_container(const OperatedJob& job, const OperatedReplica& replica);

// The port of the kind's own name in a role's main container, else the kind's default.
std::int64_t main_port(const OperatedJob& job, std::string_view role);

}  // namespace trainctl::job
