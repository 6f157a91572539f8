// Asks the API server which runs of a container it knows of at this moment.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "kube/client.h"

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

}  // namespace trainctl::job
