// Of which run of a container an answer was: asks the API server, and where that may not know of a
// restart yet, the node.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/loop.h"
#include "job/logs/run_attribution.h"
#include "kube/client.h"
#include "kube/log_stream.h"

namespace trainctl::job {

// Which run of which container; a restarted container is another target.
struct TailTarget {
  std::string ns, pod, pod_uid, container, container_id;
  bool operator==(const TailTarget&) const = default;
};

struct OwnerQuestion {
  TailTarget target;
  kube::LogQuery log;         // names the container
  const RunAttribution& run;  // judges by what is known when the answers have come
  LogAnswer answer;
  std::optional<Time> first_seen;  // stamp of the run's first line that was seen
};

// True: the answer was the run's. A failure: nobody could say.
using OwnerAnswer = std::variant<bool, kube::Failure>;

// By a list with one item, since who may watch pods may list them, and need not have been given
// `get`; asked when a status has had the time to report a new run, if there was one. Then by the
// last line of the run before the current one: the API server may not know of a restart for ten
// seconds, when it was away (the kubelet sends statuses again so often: pkg/kubelet/status,
// syncPeriod); the node answers for logs by what it knows itself. One that cannot tell keeps no
// answer back.
[[nodiscard]] HandlePtr ask_owner(kube::Client& client, OwnerQuestion question,
                                  std::function<void(OwnerAnswer)> done);

}  // namespace trainctl::job
