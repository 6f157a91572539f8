// The table of what training-operator 1.9 does differently from one job kind to the next, beyond
// what it puts into pods (manifest/operator/operated_job.h).
#pragma once

#include <string>
#include <string_view>

#include "base/value/json.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::local {

// ControllerRules::fault of MPIJobs, which no webhook checks.
std::string mpi_fault(const Json& job);

struct OperatorPass;
struct StatusUpdate;

struct ControllerRules {
  std::string_view alias;           // alias of the row in job::kinds()
  bool selector_in_status = false;  // replicaStatuses carry a label selector
  bool honours_managed_by = true;
  // Reason of the event when the TTL expires.
  std::string_view deleted_reason = "SuccessfulDeleteJob";
  std::string_view failed_reason = "";  // reason of the Failed condition
  bool any_failure_runs = false;        // a failed replica or finished leader implies Running first
  bool elastic = false;  // with an elasticPolicy, one worker's success makes the job succeed

  // Derives conditions and events from the counts of the replicas.
  void (*judge)(StatusUpdate& update) = nullptr;
  // Creates and deletes pods and services as the job requires; false when something could not be
  // created, which ends the pass.
  bool (*reconcile_replicas)(OperatorPass& pass) = nullptr;
  // Returns why the operator refuses the job, "" = it does not; nullptr if a webhook has checked
  // the job.
  std::string (*fault)(const Json& job) = nullptr;
};

// nullptr when the operator does not know the kind.
const ControllerRules* find_controller_rules(const job::Kind& kind);
// The row of a job that the operator has read.
const ControllerRules& controller_rules(const job::OperatedJob& job);

}  // namespace trainctl::local
