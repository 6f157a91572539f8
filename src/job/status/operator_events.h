// Reads what the operator's events about a job say about one of its pods. They outlast the pod.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct PodExit {
  int code;
  std::optional<Time> first, last;
  std::int64_t count;  // how often the operator said so: it repeats itself at each pass
};

// Returns how the pod's containers ended. `job_events` are those about the job, in the order of
// time.
std::vector<PodExit> read_exits(std::span<const Json* const> job_events, const std::string& pod);
// Counts how often the operator said that it restarts this role: at each pass over a failed pod
// that it makes anew.
std::int64_t count_restarts(std::span<const Json* const> job_events, std::string_view job_name,
                            const Role& role);
// The end of the latest run with this exit code: its reason (OOMKilled) and termination message,
// with its line ends. The operator repeats those of containers that crash in a pod that goes on;
// both are "" when there is none.
struct RepeatedEnd {
  std::string reason, words;
};
RepeatedEnd read_repeated_end(const Kind& kind, std::span<const Json* const> job_events,
                              const std::string& pod, int exit_code);

}  // namespace trainctl::job
