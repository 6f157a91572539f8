// A job's status as a value, and how its conditions replace one another.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::local {

struct Condition {
  std::string type, status, reason, message;
  std::string updated, transitioned;  // lastUpdateTime, lastTransitionTime
  bool operator==(const Condition&) const = default;
};

struct ReplicaCounts {
  int active = 0, succeeded = 0, failed = 0;
  std::string selector;  // "" = none
  bool operator==(const ReplicaCounts&) const = default;
};

struct JobStatus {
  std::vector<Condition> conditions;  // in the order they were last set
  std::map<std::string, ReplicaCounts> replicas;
  std::string started, completed;  // "" = not yet
  bool operator==(const JobStatus&) const = default;
};

// An event that the operator records about the job.
struct OperatorEvent {
  std::string type, reason, message;  // type is Normal or Warning
};

JobStatus read_status(const Json& job);
Json status_json(const JobStatus& status);

bool is_true(const JobStatus& status, std::string_view type);
bool is_finished(const JobStatus& status);  // Succeeded or Failed

// Appends the condition to the list, with the operator's oddities: nothing changes once the job has
// Failed; Running and Restarting remove each other; Failed and Succeeded set Running to False; a
// condition with the same status and reason stays as it is.
void set_condition(JobStatus& status, Condition condition);

// Counts a pod of a role as the operator does: a Pending one not at all, a running one that is
// being deleted as failed.
void count_pod(ReplicaCounts& counts, const Json& pod);

// After a success, the operator counts pods that are still running as succeeded.
void fold_active(JobStatus& status);

}  // namespace trainctl::local
