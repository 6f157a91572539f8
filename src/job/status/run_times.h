// When the runs of a container began and ended, as reported by its statuses so far.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::job {

class RunTimes {
 public:
  // Takes in `status`, one of a pod's containerStatuses, which covers the current run and the one
  // before it.
  void note(const Json& status);

  std::optional<Time> start_of(const std::string& container_id) const;
  std::optional<Time> end_of(const std::string& container_id) const;

 private:
  using Times = std::map<std::string, Time>;  // by container ID
  Times started_, finished_;
};

}  // namespace trainctl::job
