// Which pods and events of a namespace are which job's, sorted once for all jobs.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "cli/jobs/find_job.h"

namespace trainctl::cli {

// Asked job by job, thousands of jobs would each look at everything. What is added must stay where
// it is.
class OwnershipIndex {
 public:
  void add_pod(const Json& pod);
  void add_event(const Json& event);

  job::JobState judge(const FoundJob& job) const;

 private:
  void copy_events_of_gone_pods(const FoundJob& job, const std::vector<Json>& pods,
                                std::vector<Json>& events) const;

  using ByKey = std::unordered_map<std::string, std::vector<const Json*>>;

  ByKey pods_;        // by an owner's uid
  ByKey events_;      // by the uid of the object they are about
  ByKey pod_events_;  // those about pods, by namespace and name
};

}  // namespace trainctl::cli
