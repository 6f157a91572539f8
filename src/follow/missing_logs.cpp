// Events outlive the pods that they are about by an hour.
#include "follow/missing_logs.h"

#include <algorithm>

#include "base/text/text.h"
#include "status/events.h"

namespace trainctl::job {

namespace {

constexpr std::ptrdiff_t k_most_events = 10;

// The operator's own account of an exit is about the job, and names the pod.
bool is_about(const JobEvent& event, const std::string& replica, const std::string& pod) {
  if (event.subject == replica) return true;
  return event.reason == "ExitedWithCode" &&
         event.message.find(cat('.', pod, ' ')) != std::string::npos;
}

}  // namespace

std::vector<std::string> what_events_keep(const Kind& kind, const Json& job,
                                          std::span<const Json> events,
                                          const ReplicaState& replica) {
  const std::string name = replica.id.name();
  std::vector<std::string> lines;
  const JobEvents about(kind, job, {});
  std::vector<JobEvent> own;
  for (const Json& event : events) {
    auto read = about.read(event);
    if (read && is_about(*read, name, replica.pod.expected_name)) {
      own.push_back(*std::move(read));
    }
  }
  if (own.empty()) return lines;
  own = merged(std::move(own));
  const auto left_out = std::max<std::ptrdiff_t>(0, std::ssize(own) - k_most_events);
  lines.push_back(cat("the log of ", name, " is gone; the cluster's events about it:"));
  for (auto event = own.begin() + left_out; event != own.end(); ++event) {
    const std::string time = event->last ? format_time(*event->last) : "-";
    lines.push_back(cat("  ", time, ' ', event->reason, ": ", printable_line(event->message)));
  }
  return lines;
}

std::vector<std::string> gone_logs(const Kind& kind, const Json& job, std::span<const Json> events,
                                   std::span<const ReplicaState> replicas,
                                   const std::vector<ReplicaId>& without_pod,
                                   const std::optional<ReplicaState>& culprit) {
  std::vector<std::string> lines, without_events;
  for (const ReplicaState& replica : replicas) {
    const bool is_gone = std::ranges::find(without_pod, replica.id) != without_pod.end();
    // A replica that never started has no log.
    if (!is_gone || replica.never_started()) continue;
    const std::vector<std::string> kept = what_events_keep(kind, job, events, replica);
    lines.insert(lines.end(), kept.begin(), kept.end());
    const bool is_told = culprit && culprit->id == replica.id;
    if (kept.empty() && !is_told) without_events.push_back(replica.id.name());
  }
  if (without_events.size() == 1) {
    lines.push_back(cat("the pod of ", without_events[0], " is gone, and its log with it"));
  } else if (!without_events.empty()) {
    lines.push_back(cat("the pods of ", plural(std::ssize(without_events), "replica"),
                        " are gone, and their logs with them"));
  }
  return lines;
}

std::string unfinished_logs(const std::set<ReplicaId>& replicas, bool is_lost) {
  if (replicas.empty()) return "";
  const bool one = replicas.size() == 1;
  return cat(one ? cat("the saved log of ", replicas.begin()->name(), " is")
                 : cat("the saved logs of ", replicas.size(), " replicas are"),
             " incomplete: ", one ? "it still runs" : "they still run",
             is_lost ? ", and the rest is lost with the deleted job"
                     : "; `logs --save-logs` saves the rest later");
}

}  // namespace trainctl::job
