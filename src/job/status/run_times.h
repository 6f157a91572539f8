// When the runs of a container began and ended, as its statuses have told so far.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/time.h"

namespace trainctl::job {

class RunTimes {
 public:
  // `status`: one of a pod's containerStatuses. It knows the current run and the one before it.
  void note(const Json& status);

  std::optional<Time> start_of(const std::string& container_id) const;
  std::optional<Time> end_of(const std::string& container_id) const;

 private:
  using Times = std::map<std::string, Time>;  // by container id
  Times started_, finished_;
};

}  // namespace trainctl::job
