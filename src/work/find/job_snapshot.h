// One job with its pods and events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "job/status/events.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

struct JobSnapshot {
  FoundJob job;
  std::vector<Json> pods;  // of the job's name: a namesake's may be among them
  std::vector<Json> raw_events;
  std::vector<job::JobEvent> events;  // one for each of these
  // Set when pods or events are missing because the user may not see them. Other trouble is an
  // Error.
  std::optional<Error> without_pods, without_events;
};

// Reads the job that `text` names, as find_job finds it, with its pods and events in one round trip
// (two if `text` is a pod's name).
Result<JobSnapshot> take_snapshot(Access& access, const std::string& text, const job::Kind* kind);

// The replica that the user named with the job; "" = none. Code::not_found when the job has no such
// replica.
Result<std::string> named_replica(const FoundJob& job);

}  // namespace trainctl::work
