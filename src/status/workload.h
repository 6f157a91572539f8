// Reads what Kueue's Workload object says about its job. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/text/time.h"
#include "base/value/json.h"
#include "kube/client/resource.h"

namespace trainctl::job {

// Labels of a queued job and of its Workload (Kueue, pkg/controller/constants/constants.go).
inline constexpr std::string_view k_label_priority_class = "kueue.x-k8s.io/priority-class";
inline constexpr std::string_view k_label_job_uid = "kueue.x-k8s.io/job-uid";
// A label of all that MultiKueue has created on a worker cluster.
inline constexpr std::string_view k_label_origin = "kueue.x-k8s.io/multikueue-origin";

// The newest version first: Kueue 0.19 serves both and warns of the older one; 0.14 serves only the
// older one.
inline constexpr kube::Resource k_workload_versions[] = {
    {"kueue.x-k8s.io", "v1beta2", "workloads", "Workload"},
    {"kueue.x-k8s.io", "v1beta1", "workloads", "Workload"},
};

enum class Admission {
  waiting,   // its turn comes by itself
  stuck,     // it waits in vain until somebody changes the job, the queue or the cluster
  checking,  // it has its quota, and admission checks are not done
  admitted,
  paused,  // deactivated: by a person, by a check, or after too many evictions
  finished,
};
std::string_view admission_name(Admission admission);  // "Waiting", …

// A job's loss of its admission, after which the job waits again.
struct Eviction {
  std::string reason;   // Preempted, PodsReadyTimeout, ClusterQueueStopped, …
  std::string message;  // Kueue's words
  std::optional<Time> since;
  std::string preemptor;            // uid of the job that took its place; may be empty
  std::optional<Time> requeued_at;  // before that it is not considered again
};

struct QueueStanding {
  Admission admission = Admission::waiting;
  std::string cause;  // in the user's words: "needs 800m cpu, and flavor spot has 600m free"
  std::string hint;   // what to do about it; may be empty
  std::optional<Eviction> eviction = {};
  std::optional<Time> admitted_at = {};  // for Admission::admitted
};

// Reads versions v1beta1 and v1beta2, with the reasons of Kueue 0.14 and 0.19. Unknown reasons keep
// Kueue's own words.
QueueStanding read_workload(const Json& workload);

// True for a job that MultiKueue runs on one of its worker clusters.
bool is_dispatched(const Json& job);
// The worker cluster that MultiKueue has chosen for the manager's Workload; "" = none yet.
std::string worker_cluster(const Json& workload);

}  // namespace trainctl::job
