// Counts the pods of each replica that failed one after another: with restart policy ExitCode the
// operator makes a new one each time, without an end.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"

namespace trainctl::job {

class FailedPods {
 public:
  // Takes a pod at each of its changes.
  void note(const Json& pod);
  // How many pods of this name have failed in a row, each of them soon after its start.
  int in_a_row(std::string_view pod_name) const;

 private:
  struct Row {
    std::string uid;  // of the pod that was counted last
    int length = 0;
  };
  std::map<std::string, Row, std::less<>> rows_;  // by the pod's name
};

}  // namespace trainctl::job
