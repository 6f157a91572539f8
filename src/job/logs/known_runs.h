// Which runs of a container there are at this moment: asks the API server, and the node itself.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "kube/client.h"
#include "kube/log_stream.h"

namespace trainctl::job {

// Which run of which container; a restarted container is another target.
struct TailTarget {
  std::string ns, pod, pod_uid, container, container_id;
  bool operator==(const TailTarget&) const = default;
};

// Container ids; both are "" when the pod is gone, or another has taken its name.
struct KnownRuns {
  std::string current, previous;
};

// By a list with one item: who may watch pods may list them, and need not have been given `get`.
[[nodiscard]] HandlePtr ask_known_runs(
    kube::Client& client, const TailTarget& target,
    std::function<void(std::variant<KnownRuns, kube::Failure>)> done);

// Whether the run before the current one wrote a line at or after `from`. The API server may not
// know of a restart for ten seconds, when it was away (the kubelet sends statuses again so often:
// pkg/kubelet/status, syncPeriod); the node answers for logs by what it knows itself. `log` names
// the container. False also when the node cannot tell.
[[nodiscard]] HandlePtr ask_run_before(kube::Client& client, kube::LogQuery log, Time from,
                                       std::function<void(bool)> done);

}  // namespace trainctl::job
