// THE TABLE of what training-operator 1.9 does differently from one job kind to the next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "job/kind/kind.h"

namespace trainctl::local {

struct OperatedJob;
struct OperatorPass;
struct Replica;
struct Judgement;

struct OperatorKind {
  std::string_view alias;                     // alias of the row in job::kinds()
  std::string_view restart_policy = "Never";  // default of a replica
  std::string_view port_name = "";            // "" = no port is added to the container
  std::int64_t port = 0;

  // In a job without a leader: true = worker 0 carries the label job-role=master; false = no pod
  // does.
  bool first_worker_leads = false;
  bool selector_in_status = false;  // replicaStatuses carry a label selector
  bool honours_managed_by = true;
  // Reason of the event when the TTL is over.
  std::string_view deleted_reason = "SuccessfulDeleteJob";
  std::string_view failed_reason = "";  // reason of the Failed condition
  bool any_failure_runs = false;        // a failed replica or finished leader implies Running first
  bool elastic = false;  // with an elasticPolicy, one worker's success makes the job succeed
  // Pointer to another field of spec that may hold that policy.
  std::string_view clean_pod_policy = "";

  // What this kind has on a real cluster but not here; "" = nothing missing.
  std::string_view missing_here = "";

  // Adds the variables with rank, addresses and world size to the pod (spec and all).
  void (*set_environment)(const OperatedJob& job, const Replica& replica, int index,
                          Json& pod) = nullptr;
  // Builds the whole pod, for kinds whose pod is more than a template and its environment.
  Json (*make_pod)(const OperatedJob& job, const Replica& replica, int index) = nullptr;
  // Derives conditions and events from the counts of the replicas.
  void (*judge)(Judgement& judgement) = nullptr;
  // Creates and deletes pods and services as the job requires; false when something could not be
  // created, which ends the pass.
  bool (*reconcile_replicas)(OperatorPass& pass) = nullptr;
  // Why the operator refuses the job ("" = it does not); nullptr where a webhook has checked it.
  std::string (*fault)(const Json& job) = nullptr;

  const job::Kind& job_kind() const;
};

// nullptr when the operator does not know the kind.
const OperatorKind* find_operator_kind(const job::Kind& kind);

}  // namespace trainctl::local
