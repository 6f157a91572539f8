// Pods and events of any number of jobs, and quickly those of one of them. Pure.
#pragma once

#include <compare>
#include <map>
#include <string_view>

#include "base/json.h"
#include "job/kind/kind.h"
#include "job/status/evidence.h"

namespace trainctl::job {

// Asked job by job, thousands of jobs would each look at everything. Whose something is,
// JobOwnership says; this only knows where to look. What is added must stay as it is and where it
// is.
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
  void add_events_of_gone_pods(JobOwnership& ownership, Objects& events) const;

  // Those of one key stay in the order in which they were added.
  std::map<std::string_view, const Json*> pods_;                // by uid
  std::multimap<std::string_view, const Json*> pods_by_owner_;  // by an owner's uid
  std::multimap<std::string_view, const Json*> events_;         // by the uid of what they are about
  std::multimap<Place, const Json*> pod_events_;                // those about pods
};

}  // namespace trainctl::job
