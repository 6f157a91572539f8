// Asks Kueue about a queued job's admission and place. Needs the right to read Workloads, and says
// so if the user lacks it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "status/workload.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

struct QueueLookup {
  std::string queue;                    // the LocalQueue that the job's label names
  Result<job::QueueStanding> standing;  // an Error where nothing is known, with what can be done
  std::optional<std::int64_t> position = {};  // in the LocalQueue, from 1, where it can be known
  std::string preemptor = {};  // name of the job that took its place, where it can be known
};

struct Workload {
  kube::Resource resource;  // by the version that the server has
  Json object;
};
// The Workload that stands for a queued job. Errors are those of QueueLookup::standing, and others
// that say nothing about the job.
Result<Workload> find_workload(kube::Client& client, const FoundJob& job);

// nullopt for a job without a queue. One request; while the job waits a second one for its
// position, and a third when it was preempted.
Result<std::optional<QueueLookup>> look_up_queue(Access& access, const FoundJob& job);

}  // namespace trainctl::work
