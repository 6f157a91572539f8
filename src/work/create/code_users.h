// Finds the jobs that need the config maps of `--code`, from their annotations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "work/access.h"

namespace trainctl::work {

struct CodeUser {
  std::string digest;  // "sha256:…", as the job records it
  Json reference;      // the job as an owner of other objects
};

// The job, when it records which code it runs.
std::optional<CodeUser> code_user(const Json& job);

// True when the config map holds a piece of the code that the job runs.
bool uses(const CodeUser& user, const Json& map);

// All jobs of the namespace that record their code. nullopt when a kind of job could not be listed:
// then a map that seems unused may still be needed.
std::optional<std::vector<CodeUser>> code_users(Access& access, const std::string& ns);

}  // namespace trainctl::work
