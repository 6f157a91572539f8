// The data that a job's pods read besides their image: volumes, secrets and config maps. Pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct Source {
  std::string kind;   // "claim", "secret", "config map", "host directory", "memory", …
  std::string name;   // "data", "hub", "/srv/data", "2Gi"; may be ""
  std::string place;  // "/data", "/data (read-only)", "variable TOKEN", "variables"
  std::vector<std::string> roles;  // prefixes of the roles that have it
};

// The sources of the training containers, in the order of the manifest; one that several roles
// share is listed once. Values of secrets are not in a manifest and so not here.
std::vector<Source> sources_of(const Kind& kind, const Json& job);

}  // namespace trainctl::job
