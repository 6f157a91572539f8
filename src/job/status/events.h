// What happened to a job and its replicas, as the cluster's events tell it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "job/kind/kind.h"
#include "job/status/ownership.h"

namespace trainctl::job {

struct JobEvent {
  std::string uid;         // of the event object
  std::string subject;     // "job", "worker-1", "service/ddp-worker-1", "claim/data"
  std::string kind, name;  // of the object it is about
  std::string type, reason, message, source;
  std::int64_t count = 1;
  std::optional<Time> first, last;
  std::string recorded;  // when it was first recorded, for those of one second; may be ""
};

// When it happened first.
std::optional<Time> first_event_time(const Json& event);
// By when each happened last; of one second, by when it was recorded; else they stay in their
// order.
void sort_by_time(std::vector<const Json*>& events);

// Reads those events of a namespace that are a job's.
class JobEvents {
 public:
  // `pods` may hold a namesake's, whose events do not count. `job` must outlive this.
  JobEvents(const Kind& kind, const Json& job, std::span<const Json> pods);

  // nullopt when the event is not about the job.
  std::optional<JobEvent> read(const Json& event) const;

 private:
  JobOwnership ownership_;
};

// In time order, equal ones folded into one with their counts added.
std::vector<JobEvent> merged(std::vector<JobEvent> events);

// {"time","firstTime","count","type","subject","kind","name","reason","message","source"}; absent
// facts are left out.
Json event_report(const JobEvent& event);

}  // namespace trainctl::job
