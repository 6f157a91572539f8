// Decides which events of a job are written, like client-go's correlator, without which a crash
// loop would fill the store.
#pragma once

#include <map>
#include <set>
#include <string>

#include "local/operator/status.h"
#include "local/store/store.h"

namespace trainctl::local {

class EventCorrelator {
 public:
  // Records the events of a job, but at most 25 at once and then one in five minutes (counted for
  // each job); from the tenth message of one reason on, they are combined into one.
  void record(Store& store, Time now, const Json& job, std::string_view component,
              const std::vector<OperatorEvent>& events);
  // Forgets a deleted job.
  void forget(const std::string& uid);

 private:
  struct Similar {
    std::set<std::string> messages;
    Time last{};
    std::string combined;  // name of the event that combines all further ones
  };
  struct Allowance {
    double left = 0;
    Time since{};
    std::map<std::string, Similar> similar;  // by type and reason
  };
  bool spend(Allowance& allowance, Time now);
  std::map<std::string, Allowance> jobs_;  // by uid
};

}  // namespace trainctl::local
