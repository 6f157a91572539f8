// Finds the pods and events of one job among those of thousands. Pure.
#pragma once

#include <compare>
#include <map>
#include <string_view>

#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/status/evidence.h"

namespace trainctl::job {

// JobOwnership decides what is a job's. The index only narrows down the candidates, since asking
// about every object for every job would take quadratic time. Objects that are added must stay
// unchanged and in place.
class OwnershipIndex {
 public:
  void add_pod(const Json& pod);
  void add_event(const Json& event);

  Evidence evidence(const Kind& kind, const Json& job) const;

 private:
  struct Place {
    std::string_view ns, name;
    auto operator<=>(const Place&) const = default;
  };
  void add_events_by_name(JobOwnership& ownership, Objects& events) const;
  void add_strangers(const JobOwnership& ownership, const Objects& events, Objects& pods) const;

  // Objects with the same key stay in the order in which they were added.
  std::map<std::string_view, const Json*> pods_;                // by uid
  std::multimap<std::string_view, const Json*> pods_by_owner_;  // by an owner's uid
  std::multimap<Place, const Json*> pods_by_label_;             // by the job that a label names
  std::multimap<std::string_view, const Json*> events_;         // by the uid of what they are about
  std::multimap<Place, const Json*> named_events_;  // those about pods, and what is above them
  std::map<Place, const Json*> pods_by_name_;
};

}  // namespace trainctl::job
