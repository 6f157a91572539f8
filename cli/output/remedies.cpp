// Asks every replica, since several may wait for different things.
#include "cli/output/remedies.h"

#include <algorithm>

#include "base/text.h"
#include "job/status/hints.h"
#include "job/status/pod_state.h"

namespace trainctl::cli {
namespace {

std::vector<Json> events_of(const job::ReplicaState& replica, const std::vector<Json>& all) {
  std::vector<Json> events;
  std::copy_if(all.begin(), all.end(), std::back_inserter(events), [&replica](const Json& event) {
    return text_at(event, "/involvedObject/uid") == replica.uid;
  });
  return events;
}

}  // namespace

std::vector<std::string> remedies(const JobSnapshot& look, const job::JobState& state) {
  std::vector<std::string> hints;
  const auto add = [&hints](const std::string& hint) {
    const bool repeated = std::find(hints.begin(), hints.end(), hint) != hints.end();
    if (!hint.empty() && !repeated) hints.push_back(printable_line(hint));
  };
  if (state.phase == job::Phase::submitted) add(std::string(job::k_no_operator_hint));
  if (state.blocker) add(state.blocker->hint);
  const job::ReplicaState* kept = job::first_kept(state);
  if (kept != nullptr) add(job::sidecar_hint(kept->kept_by));
  for (const job::ReplicaState& replica : state.replicas) {
    if (job::is_final(state.phase)) break;
    const auto blocker = job::find_blocker(replica, events_of(replica, look.raw_events));
    if (blocker) add(blocker->hint);
  }
  if (state.phase != job::Phase::failed || !state.first_failed) return hints;
  const job::ReplicaState& failed = state.replicas[*state.first_failed];
  add(job::exit_hint(failed.exit_code, failed.reason));
  if (!failed.start_error.empty()) add(job::hint_for("StartError", failed.start_error));
  return hints;
}

}  // namespace trainctl::cli
