// Examines every replica, since they may wait for different things.
#include "view/viewer.h"

#include <algorithm>

#include "base/text/text.h"
#include "status/hints.h"

namespace trainctl::view {

std::vector<std::string> remedies(const job::JobState& state) {
  std::vector<std::string> hints;
  const auto add = [&hints](const std::string& hint) {
    const bool repeated = std::ranges::find(hints, hint) != hints.end();
    if (!hint.empty() && !repeated) hints.push_back(printable_line(hint));
  };
  if (state.phase == job::Phase::submitted) add(std::string(job::k_no_operator_hint));
  if (state.blocker) add(state.blocker->hint);
  const job::ReplicaState* kept = job::first_kept(state);
  if (kept != nullptr) add(job::sidecar_hint(kept->pod.kept_by));
  for (const job::ReplicaState& replica : state.replicas) {
    if (job::is_final(state.phase)) break;
    const auto& why = replica.run.start_failure;
    if (why) add(job::hint_for(why->reason, why->message, replica.pod.expected_name));
  }
  const bool has_failed =
      state.phase == job::Phase::failed || state.phase == job::Phase::restarting;
  if (!has_failed || !state.first_failed) return hints;
  const job::ReplicaState& failed = state.replicas[*state.first_failed];
  const auto& why = failed.run.start_failure;
  if (failed.never_started()) {
    add(job::hint_for(why->reason, why->message, failed.pod.expected_name));
  } else {
    add(job::exit_hint(failed.last_exit));
  }
  return hints;
}

}  // namespace trainctl::view
