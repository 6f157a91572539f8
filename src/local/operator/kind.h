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
  std::string_view alias;                     // of the row in job::kinds()
  std::string_view restart_policy = "Never";  // of a replica that names none
  std::string_view port_name = "";            // "" = no port is added to the container
  std::int64_t port = 0;

  // Which pod carries the label job-role=master where there is no leader: worker 0, or none.
  bool first_worker_leads = false;
  bool selector_in_status = false;  // replicaStatuses carry a label selector
  bool honours_managed_by = true;
  std::string_view deleted_reason = "SuccessfulDeleteJob";  // of the event when the TTL is over
  std::string_view failed_reason = "";                      // of the Failed condition
  bool any_failure_runs = false;  // a failed replica or finished leader implies Running first
  bool elastic = false;           // with an elasticPolicy one worker's success is the job's
  std::string_view clean_pod_policy = "";  // where else that policy may stand: a pointer into spec

  // What a job of this kind finds on a real cluster and not here; "" = nothing.
  std::string_view missing_here = "";

  // Adds what tells a replica its place in the world to the pod (spec and all).
  void (*set_environment)(const OperatedJob& job, const Replica& replica, int index,
                          Json& pod) = nullptr;
  // Makes the whole pod where a template and its environment are not all of it.
  Json (*make_pod)(const OperatedJob& job, const Replica& replica, int index) = nullptr;
  // From the counts of the replicas to conditions and events.
  void (*judge)(Judgement& judgement) = nullptr;
  // Brings pods and services to what the job wants; false when something could not be made, and the
  // pass ends there.
  bool (*reconcile_replicas)(OperatorPass& pass) = nullptr;
  // Why the operator refuses the job ("" = it does not); nullptr where a webhook has seen to it.
  std::string (*fault)(const Json& job) = nullptr;

  const job::Kind& job_kind() const;
};

// nullptr when the operator does not know the kind.
const OperatorKind* find_operator_kind(const job::Kind& kind);

}  // namespace trainctl::local
