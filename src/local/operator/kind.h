// THE TABLE of what training-operator 1.9 does differently from one job kind to the next, beyond
// what it puts into pods (job/operator/operated_kind.h).
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "job/operator/operated_job.h"

namespace trainctl::local {

struct OperatorPass;
struct Judgement;

struct OperatorKind {
  std::string_view alias;           // of the row in job::kinds()
  bool selector_in_status = false;  // replicaStatuses carry a label selector
  bool honours_managed_by = true;
  std::string_view deleted_reason = "SuccessfulDeleteJob";  // of the event when the TTL is over
  std::string_view failed_reason = "";                      // of the Failed condition
  bool any_failure_runs = false;  // a failed replica or finished leader implies Running first
  bool elastic = false;           // with an elasticPolicy one worker's success is the job's

  // What a job of this kind finds on a real cluster and not here; "" = nothing.
  std::string_view missing_here = "";

  // From the counts of the replicas to conditions and events.
  void (*judge)(Judgement& judgement) = nullptr;
  // Brings pods and services to what the job wants; false when something could not be made, and the
  // pass ends there.
  bool (*reconcile_replicas)(OperatorPass& pass) = nullptr;
  // Why the operator refuses the job ("" = it does not); nullptr where a webhook has seen to it.
  std::string (*fault)(const Json& job) = nullptr;
};

// nullptr when the operator does not know the kind.
const OperatorKind* find_operator_kind(const job::Kind& kind);
// Of a job that an operator has read.
const OperatorKind& operator_kind(const job::OperatedJob& job);

}  // namespace trainctl::local
