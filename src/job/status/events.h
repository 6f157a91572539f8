// What happened to a job and its replicas, as the cluster's events tell it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "job/kind/kind.h"

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

inline constexpr std::string_view k_job_subject = "job";

// When it happened first.
std::optional<Time> first_event_time(const Json& event);
// By when each happened last; those of one moment stay in their order.
void sort_by_time(std::vector<Json>& events);

// Tells which events of a namespace are about a job: about the object itself, its pods (those that
// are gone as well: their events outlive them), their services and the claims they mount.
class JobEvents {
 public:
  // `pods` may hold a namesake's, whose events do not count.
  JobEvents(const Kind& kind, const Json& job, std::span<const Json> pods);

  // Pods of the job that are gone.
  void add_pods(std::span<const Json> pods);

  // What the event is about: "job", a replica's name, "service/…", "claim/…"; "" = not the job's.
  std::string subject(const Json& event) const;
  // nullopt when the event is not about the job.
  std::optional<JobEvent> read(const Json& event) const;

 private:
  std::string replica_named(std::string_view pod_name) const;

  const Kind& kind_;
  const Json& job_;
  std::string name_, uid_;
  std::optional<Time> created_;
  std::map<std::string, std::string> own_pods_;  // uid to replica
  std::set<std::string> foreign_pods_;           // uids
  std::set<std::string> claims_;
};

// In time order, equal ones folded into one with their counts added.
std::vector<JobEvent> merged(std::vector<JobEvent> events);

// {"time","firstTime","count","type","subject","kind","name","reason","message","source"}; absent
// facts are left out.
Json event_report(const JobEvent& event);

}  // namespace trainctl::job
