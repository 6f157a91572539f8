// `logs` without -f: prints the present logs of the selected replicas, one after another.
#pragma once

#include <span>

#include "base/console/console.h"
#include "follow/log_choice.h"
#include "kube/client/client.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// `pods` are the job's, `events` may be others' too. For a replica whose pod is gone, it prints
// what events say and a warning, and returns Code::not_found when no other replica can be shown;
// never Code::job_failed. Top-level code, runs the loop.
Status print_logs(kube::Client& client, Console& console, const Kind& kind, const Json& job,
                  std::span<const Json> pods, std::span<const Json> events,
                  const LogChoice& choice);

}  // namespace trainctl::job
