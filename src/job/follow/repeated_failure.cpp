// Compares the termination messages of a replica's first two runs.
#include "job/follow/repeated_failure.h"

#include "base/text/text.h"

namespace trainctl::job {
namespace {

// Two runs of less than a second, and the second that a node takes to start the program again.
constexpr Duration k_moment = std::chrono::seconds(4);

std::string last_line(std::string_view words) {
  const std::vector<std::string> lines = split(trim(words), '\n');
  return lines.empty() ? "" : lines.back();
}

}  // namespace

bool RepeatedFailure::take(const ReplicaState& replica) {
  const LastExit& exit = replica.last_exit;
  if (!exit.run || replica.pod.deleting || !exit.is_failure()) return false;
  const std::string line = last_line(exit.words);
  if (exit.run->restarts == 0) {
    first_runs_[replica.id] = {exit.run->pod_uid, exit.code, line};
    return false;
  }
  const auto first = first_runs_.find(replica.id);
  const bool is_later = first != first_runs_.end() && first->second.pod_uid == exit.run->pod_uid;
  if (is_later && first->second.repeated) return true;
  const bool is_second = is_later && exit.run->restarts == 1;
  const bool is_alike =
      is_second && first->second.exit_code == exit.code && first->second.last_line == line;
  const bool at_once =
      replica.pod.placed && exit.finished && *exit.finished - *replica.pod.placed <= k_moment;
  if (is_alike && at_once) first->second.repeated = true;
  return is_alike && at_once;
}

}  // namespace trainctl::job
