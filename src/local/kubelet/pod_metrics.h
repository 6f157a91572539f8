// Measures the containers of this machine, in the form of the metrics API.
#pragma once

#include <map>
#include <string>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/kubelet/runner.h"

namespace trainctl::local {

class UsageMeter {
 public:
  // {"cpu": "1500m", "memory": "2048Ki"} of a running container: its CPU time since the question
  // before, at first since its start.
  Json usage_of(const AttemptRecord& run, Time now);

 private:
  struct Sample {
    Time taken;
    unsigned long long ticks = 0;
    double cores = 0;
  };
  std::map<std::string, Sample> samples_;  // by the mark of the container's guard
};

}  // namespace trainctl::local
