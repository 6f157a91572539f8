// Finds the pods of jobs that MultiKueue runs on a worker cluster: on the manager's, to which the
// user has submitted them, they have none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "work/access.h"
#include "work/find/batch_fetch.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The copy of a job that MultiKueue has made on a worker cluster.
struct WorkerCopy {
  std::string worker;              // the cluster's name
  kube::Client* client = nullptr;  // leads there
  Json job;
};
// nullopt for jobs that MultiKueue has not dispatched, for which nothing is sent, and where the
// copy is gone or not made yet. Code::not_started while no cluster is chosen, Code::usage when the
// configuration has no context for it.
Result<std::optional<WorkerCopy>> find_at_worker(Access& access, const FoundJob& job);

// Goes on in the cluster where the pods of the job are: for a job that MultiKueue has dispatched,
// from now on access.client() leads to its worker cluster, `job` is the copy there, and `around`
// (null = nothing) is emptied, because the manager's cluster gave it. The next search for jobs
// begins on the manager's cluster again. Returns the worker cluster's name; "" when the pods are
// those of the cluster at hand, or gone from the worker's. Errors are those of find_at_worker.
Result<std::string> enter_worker(Access& access, FoundJob& job, JobListings* around);

// Goes on in the cluster where the job ran until its end, for its volumes: MultiKueue has deleted
// the copy. False for jobs that have not ended, and for those that ran in the cluster at hand.
Result<bool> enter_past_worker(Access& access, const FoundJob& job);

// The query for the pods of any job of that name together with the job, since the user waits for
// each round trip. `lane`: as in Listing.
JobListings pods_around(std::string_view ns, const job::Kind* kind, const std::string& name,
                        net::Lane lane = net::Lane::control);
// Goes on in the job's worker cluster, as above. Returns the pods that the job owns: of those in
// `around`, or asked for anew where it is empty.
Result<std::vector<Json>> take_pods(Access& access, FoundJob& job, JobListings around,
                                    net::Lane lane = net::Lane::control);

}  // namespace trainctl::work
