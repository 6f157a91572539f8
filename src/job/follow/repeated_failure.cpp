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
  const bool has_failed = replica.ended && !replica.deleting && replica.exit_code.value_or(0) != 0;
  if (!has_failed) return false;
  const std::string line = last_line(replica.last_words);
  if (replica.ended->restarts == 0) {
    first_runs_[replica.id] = {replica.ended->pod_uid, line};
    return false;
  }
  const auto first = first_runs_.find(replica.id);
  const bool is_second = first != first_runs_.end() && replica.ended->restarts == 1 &&
                         first->second.pod_uid == replica.ended->pod_uid;
  const bool at_once =
      replica.placed && replica.finished && *replica.finished - *replica.placed <= k_moment;
  return is_second && at_once && !line.empty() && line == first->second.last_line;
}

}  // namespace trainctl::job
