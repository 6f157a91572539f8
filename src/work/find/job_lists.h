// Lists of jobs, for commands about several jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "status/events.h"
#include "status/refusing_nodes.h"
#include "status/state.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Leaves out each job that has a later run in the list, and each job of an array but the newest of
// its task: the task's own line may have been sent again after `rerun`. A job that only claims to
// be such a run does not count.
std::vector<FoundJob> latest_runs(Access& access, std::vector<FoundJob> jobs);

// The error of an array some of whose members were never created, or were deleted; nullopt when
// none is missing, or nobody knows how many there should be. `jobs`: those of the array.
std::optional<Error> missing_members(const std::vector<FoundJob>& jobs, const std::string& array);

// The names without repetitions, in their order.
std::vector<std::string> each_once(const std::vector<std::string>& names);

// Adds a job unless it is there already, with the same replica.
void add_once(std::vector<FoundJob>& jobs, FoundJob job);

// One job with its pods and events.
struct JobSnapshot {
  FoundJob job;
  job::JobState state = {};     // as these objects show it
  std::vector<Json> pods = {};  // of the job's name: a namesake's may be among them
  std::vector<Json> raw_events = {};
  std::vector<job::JobEvent> events = {};  // one for each of these
  // Set when pods or events are missing because the user may not see them, or may not enter the
  // worker cluster that has them. Other trouble is an Error.
  std::optional<Error> without_pods = {}, without_events = {};
  std::string worker = {};  // the cluster to which MultiKueue has dispatched the job; "" = this one
  std::vector<job::RefusingNode> refusing = {};  // nodes, by the events of the whole namespace
};

// Reads the job that `text` names, as find_job finds it, with its pods and events in one round trip
// (two if `text` is a pod's name). Enters the worker cluster that has them. The history learns of
// the job's end.
Result<JobSnapshot> take_snapshot(Access& access, const std::string& text, const job::Kind* kind);

// The replica that the user named with the job; "" = none. Code::not_found when the job has no such
// replica.
Result<std::string> named_replica(const FoundJob& job);

}  // namespace trainctl::work
