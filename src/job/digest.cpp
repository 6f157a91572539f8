// The words of the digest and the final summary.
#include "job/digest.h"

#include <algorithm>

#include "base/text.h"

namespace trainctl::job {

namespace {

constexpr std::size_t k_longest_line = 500;

bool ended_by_itself(const ReplicaState& replica) {
  return replica.state == "Succeeded" || replica.state == "Failed";
}

}  // namespace

void LastLines::add(const ReplicaId& replica, std::string_view text) {
  Kept& kept = kept_[replica];
  text = text.substr(0, k_longest_line);
  if (kept.lines.size() == k_digest_lines) {
    kept.lines[kept.oldest].assign(text);
    kept.oldest = (kept.oldest + 1) % k_digest_lines;
    return;
  }
  if (kept.lines.empty()) kept.lines.reserve(k_digest_lines);
  kept.lines.emplace_back(text);
}

bool LastLines::has(const ReplicaId& replica) const {
  return kept_.contains(replica);
}

std::vector<std::string> LastLines::of(const ReplicaId& replica) const {
  const auto found = kept_.find(replica);
  if (found == kept_.end()) return {};
  std::vector<std::string> lines = found->second.lines;
  std::rotate(lines.begin(), lines.begin() + static_cast<long>(found->second.oldest), lines.end());
  return lines;
}

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
