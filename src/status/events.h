// Reads from the cluster's events what happened to a job and its replicas. Does no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "status/ownership.h"

namespace trainctl::job {

struct JobEvent {
  std::string uid;         // uid of the event object
  std::string subject;     // "job", "worker-1", "service/ddp-worker-1", "claim/data"
  std::string kind, name;  // of the object that the event is about
  std::string type, reason, message, source;
  std::int64_t count = 1;
  std::optional<Time> first, last;
  std::string recorded;  // when it was first recorded, to order events of one second; may be ""
};

// The moment an event last happened: kubelet and operator write lastTimestamp, the scheduler
// eventTime and series.
std::optional<Time> event_time(const Json& event);
// When an event first happened.
std::optional<Time> first_event_time(const Json& event);
// Returns how often the event happened.
std::int64_t event_count(const Json& event);
// Sorts events by when each last happened; those of one second by when they were recorded, and
// simultaneous ones keep their order.
void sort_by_time(std::vector<const Json*>& events);

// Reads those events of a namespace that are a job's.
class JobEvents {
 public:
  // `pods` may include those of an earlier job with the same name, whose events do not count. `job`
  // must outlive this.
  JobEvents(const Kind& kind, const Json& job, std::span<const Json> pods);

  // nullopt when the event is not about the job.
  std::optional<JobEvent> read(const Json& event) const;

 private:
  JobOwnership ownership_;
};

// The events in time order, with equal ones combined and their counts added.
std::vector<JobEvent> merged(std::vector<JobEvent> events);

// The event as JSON:
// {"time","firstTime","count","type","subject","kind","name","reason","message","source"}; missing
// facts are omitted.
Json event_report(const JobEvent& event);

}  // namespace trainctl::job
