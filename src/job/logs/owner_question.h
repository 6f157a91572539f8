// Finds out which run of a container an answer belongs to: asks the API server, and the node where
// the API server may not know of a restart yet.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/loop/loop.h"
#include "job/logs/run_attribution.h"
#include "kube/client/client.h"
#include "kube/stream/log_stream.h"

namespace trainctl::job {

// Names a container's run; a restarted container is another target.
struct TailTarget {
  std::string ns, pod, pod_uid, container, container_id;
  bool operator==(const TailTarget&) const = default;
};

struct OwnerQuestion {
  TailTarget target;
  kube::LogQuery log;         // identifies the container
  const RunAttribution& run;  // decides, with what is known when the responses arrive
  LogAnswer answer;
  std::optional<Time> first_seen;  // stamp of the first line seen of this run
};

// True when the answer was the run's; a Failure when that could not be found out.
using OwnerAnswer = std::variant<bool, kube::Failure>;

// Asks for a list with one item, because a user who may watch pods may also list them, but need not
// have the verb `get`. Asks only when a status has had time to report a new run. If a new run is
// still possible, asks for the last line of the run before the current one: for ten seconds after
// an outage, the API server may not know of a restart (the kubelet repeats its statuses at that
// interval: pkg/kubelet/status, syncPeriod), while the node answers log requests from its own
// knowledge. An answer is not withheld when a node cannot say.
[[nodiscard]] HandlePtr ask_owner(kube::Client& client, OwnerQuestion question,
                                  std::function<void(OwnerAnswer)> done);

}  // namespace trainctl::job
