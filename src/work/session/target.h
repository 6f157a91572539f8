// The containers that a user means by JOB/REPLICA, checked to be running.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kube/stream/remote_process.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Names one replica of a job; without one, the leader.
struct TargetQuery {
  job::JobRef ref;
  std::string rank;       // "" = not given
  std::string container;  // "" = the training one
};

struct Target {
  std::string job;
  std::string replica;  // "worker-1"
  std::string ns, pod, container;
  bool has_terminal = false;  // its program was started on one, and reads what is typed
  bool has_input = false;     // its program was started with a stdin
  std::string job_uid = {};

  // "ddp/worker-1", as trainctl reads it.
  std::string name() const;
  // The query that starts a process in the same container.
  kube::RemoteQuery query() const;
};

// A job and its pods, as they are now.
struct FoundPods {
  FoundJob job;
  std::vector<Json> pods;

  // In rank order: the replicas that the job asks for, and those that exist.
  std::vector<job::ReplicaId> replicas() const;
  // The replica's pod; if it has several, the one that is not being deleted. nullptr when there is
  // none.
  const Json* pod_of(const job::ReplicaId& replica) const;
};
Result<FoundPods> find_job_pods(Access& access, const TargetQuery& query);
// The replica's container; errors as below.
Result<Target> target_of(const FoundPods& found, const job::ReplicaId& replica,
                         const std::string& container);

// Returns one running container: the named replica's, else the leader's, with a notice on stderr
// if there are other replicas. Code::not_found for a replica without a pod or a container that has
// ended, Code::not_started for one that does not run yet.
Result<Target> find_target(Access& access, const TargetQuery& query);
// Returns the targets of all running replicas, in rank order; a warning names the others.
Result<std::vector<Target>> find_targets(Access& access, const TargetQuery& query);

}  // namespace trainctl::work
