// Classifies the failure that ended a job, for --retry-on, reports and `why`. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/text/pattern.h"
#include "base/text/words.h"
#include "follow/report.h"

namespace trainctl::job {

enum class Cause {
  node_lost,  // its node went away, shut down, or refused the pod
  evicted,    // preempted by other pods, or evicted by its node
  oom,        // a container exceeded its memory limit; GPU memory does not count
  cuda_oom,   // the last lines say that a GPU's memory was full
  nccl,       // the last lines name NCCL
};
inline constexpr Word<Cause> k_causes[] = {
    {"node-lost", Cause::node_lost}, {"evicted", Cause::evicted}, {"oom", Cause::oom},
    {"cuda-oom", Cause::cuda_oom},   {"nccl", Cause::nccl},
};

// Why a job has failed, as far as its culprit shows.
struct Failure {
  std::set<Cause> causes;        // empty: the program itself failed
  std::optional<int> exit_code;  // the culprit's
  std::string replica, node;     // the culprit's; "" = unknown
  std::vector<std::string> last_lines;

  // As --retry-on names it: "oom, exit=137".
  std::string words() const;
};
Failure failure_of(const Outcome& outcome);

// The line that says that a GPU's memory was full, without the advice behind it; "" = none.
std::string cuda_oom_line(const std::vector<std::string>& lines);
inline constexpr std::string_view k_cuda_oom_remedy =
    "use less GPU memory: a smaller batch, gradient accumulation, or a larger GPU";

// Which causes lie in the cluster: "node-lost, evicted, nccl".
std::string infrastructure_causes();

// Which failures are worth another attempt.
struct RetryRules {
  enum class Chosen { by_default /* nobody chose the causes */, named, any };

  Chosen chosen = Chosen::named;
  std::set<Cause> causes;
  std::set<int> exit_codes;
  std::vector<Pattern> lines;  // any of which one of the last lines matches

  bool cover(const Failure& failure) const;
  // The last line that a pattern matches; "" = none.
  std::string line_in(const Failure& failure) const;
};
// Parses "node-lost,exit=75,log=REGEX" or "any", and combines several texts; no text means the
// failures of the infrastructure, which another attempt may escape. Else Code::usage.
Result<RetryRules> parse_retry_rules(const std::vector<std::string>& texts);

}  // namespace trainctl::job
