// Classifies the failure that ended a job, for --retry-on. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/words.h"
#include "job/follow/report.h"

namespace trainctl::job {

enum class Cause {
  node_lost,  // its node went away, shut down, or refused the pod
  evicted,    // for other pods, or for the node's sake
  oom,        // a container took more memory than its limit; CUDA's memory is another
  nccl,       // the last lines name NCCL
};
inline constexpr Word<Cause> k_causes[] = {
    {"node-lost", Cause::node_lost},
    {"evicted", Cause::evicted},
    {"oom", Cause::oom},
    {"nccl", Cause::nccl},
};

// Why a job has failed, as far as its culprit shows.
struct Failure {
  std::set<Cause> causes;        // empty: the program's own
  std::optional<int> exit_code;  // the culprit's
  std::string replica, node;     // the culprit's; "" = unknown

  // As --retry-on names it: "oom, exit=137".
  std::string words() const;
};
Failure failure_of(const Outcome& outcome);

// Which failures are worth another attempt.
struct RetryRules {
  bool any = false;
  std::set<Cause> causes;
  std::set<int> exit_codes;

  bool cover(const Failure& failure) const;
};
// Parses "node-lost,oom,exit=75" or "any"; several texts add up, none is "any". Code::usage.
Result<RetryRules> parse_retry_rules(const std::vector<std::string>& texts);

}  // namespace trainctl::job
