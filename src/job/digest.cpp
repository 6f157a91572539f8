// The words of the digest and the final summary.
#include "job/digest.h"

#include "base/text.h"

namespace trainctl::job {

namespace {

bool ended_by_itself(const ReplicaState& replica) {
  return replica.state == "Succeeded" || replica.state == "Failed";
}

}  // namespace

std::vector<std::string> failure_digest(const ReplicaState& replica,
                                        std::span<const std::string> last_lines) {
  std::string head = replica.id.name();
  head += replica.exit_code ? cat(" exited ", *replica.exit_code) : std::string(" failed");
  if (!replica.reason.empty() && replica.reason != "Error") head += cat(" (", replica.reason, ")");
  if (replica.restarts > 0) head += cat(" after ", plural(replica.restarts, "restart"));
  if (last_lines.empty()) return {head};
  std::vector<std::string> digest = {head + "; its last lines:"};
  for (const std::string& line : last_lines) digest.push_back("  " + printable_line(line));
  return digest;
}

void ReplicaHistory::record(const JobState& state) {
  for (const ReplicaState& replica : state.replicas) {
    if (replica.pod.empty()) continue;
    const std::string name = replica.id.name();
    const auto found = seen_.find(name);
    // While a pod is being deleted its container is killed: that exit is not the replica's own.
    if (found != seen_.end() && found->second.uid == replica.uid && replica.deleting) continue;
    seen_[name] = replica;
  }
}

const ReplicaState* ReplicaHistory::last_seen(const std::string& replica) const {
  const auto found = seen_.find(replica);
  return found == seen_.end() ? nullptr : &found->second;
}

std::vector<std::string> ReplicaHistory::summary(const JobState& final_state,
                                                 std::string_view clean_pod_policy) const {
  std::vector<std::string> sentences;
  for (const ReplicaState& now : final_state.replicas) {
    const std::string name = now.id.name();
    const ReplicaState* seen = last_seen(name);
    if (seen == nullptr) continue;
    if (seen->restarts > 0) {
      sentences.push_back(cat(name, " was restarted ", plural(seen->restarts, "time")));
    }
    if (ended_by_itself(*seen)) continue;
    if (now.state == "Missing" || now.deleting) {
      sentences.push_back(
          cat(name, " was stopped by clean-up (cleanPodPolicy ", clean_pod_policy, ")"));
    } else if (now.state == "Running") {
      sentences.push_back(cat(name, " is still running: its pod is not cleaned up"));
    }
  }
  return sentences;
}

}  // namespace trainctl::job
