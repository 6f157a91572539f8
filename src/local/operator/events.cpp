// Implements the spam filter and the aggregation of client-go's EventCorrelator
// (tools/record/events_cache.go).
#include "local/operator/events.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/json.h"

namespace trainctl::local {

namespace {

constexpr double k_burst = 25;
constexpr double k_seconds_per_event = 300;
constexpr std::size_t k_distinct_messages = 10;
constexpr Duration k_similar_for = std::chrono::seconds(600);

// The name of the latest event of a job with this reason and message.
std::string name_of_event(const Store& store, const Json& job, const OperatorEvent& event) {
  const std::string uid = text_at(job, "/metadata/uid");
  for (const auto& stored :
       store.list(resource_of(kube::k_events), text_at(job, "/metadata/namespace"))) {
    if (text_at(*stored, "/involvedObject/uid") == uid &&
        text_at(*stored, "/reason") == event.reason &&
        text_at(*stored, "/message") == event.message) {
      return text_at(*stored, "/metadata/name");
    }
  }
  return "";
}

void count_up(Store& store, Time now, const Json& job, const std::string& name,
              const std::string& message) {
  modify(store, resource_of(kube::k_events), text_at(job, "/metadata/namespace"), name,
         [&](Json& event) {
           member(event, "message") = message;
           member(event, "count") = int_at(event, "/count").value_or(1) + 1;
           member(event, "lastTimestamp") = format_time(now);
         });
}

}  // namespace

bool EventCorrelator::spend(Allowance& allowance, Time now) {
  const bool fresh = allowance.since == Time{};
  const std::chrono::duration<double> passed = now - allowance.since;
  allowance.left =
      fresh ? k_burst : std::min(k_burst, allowance.left + passed.count() / k_seconds_per_event);
  allowance.since = now;
  if (allowance.left < 1) return false;
  allowance.left -= 1;
  return true;
}

void EventCorrelator::record(Store& store, Time now, const Json& job, std::string_view component,
                             const std::vector<OperatorEvent>& events) {
  if (events.empty()) return;
  Allowance& allowance = jobs_[text_at(job, "/metadata/uid")];
  for (const OperatorEvent& event : events) {
    Similar& similar = allowance.similar[cat(event.type, ' ', event.reason)];
    if (now - similar.last > k_similar_for) similar = {};
    similar.last = now;
    similar.messages.insert(event.message);
    const bool combine = similar.messages.size() >= k_distinct_messages;
    if (combine) similar.messages.erase(similar.messages.begin());
    if (!spend(allowance, now)) continue;
    const std::string message =
        combine ? "(combined from similar events): " + event.message : event.message;
    if (combine && !similar.combined.empty()) {
      count_up(store, now, job, similar.combined, message);
      continue;
    }
    record_event(store, job, event.type, event.reason, message, component);
    if (combine) {
      similar.combined = name_of_event(store, job, {event.type, event.reason, message});
    }
  }
}

void EventCorrelator::forget(const std::string& uid) {
  jobs_.erase(uid);
}

}  // namespace trainctl::local
