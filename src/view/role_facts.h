// Describes what each role of a job runs, for `trainctl describe`.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::view {

struct RoleFacts {
  std::string role, count, restart, image, command;
  bool is_alike(const RoleFacts& other) const {
    return restart == other.restart && image == other.image && command == other.command;
  }
};

// Contains only what the job says, not what a runtime adds.
std::vector<RoleFacts> role_facts(const job::Kind& kind, const Json& job);

}  // namespace trainctl::view
