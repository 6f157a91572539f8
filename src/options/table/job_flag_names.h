// Looks up job flags by their long names, which may begin with a role.
#pragma once

#include <string>
#include <vector>

#include "job/kind/kind.h"
#include "job/manifest/flags/flags.h"

namespace trainctl::options {

// The prefixes of the roles of a kind, or of every kind when it is null: "master", "worker".
std::vector<std::string> role_prefixes(const job::Kind* kind);

// A job flag, looked up by its long name; `flag` is null when there is none.
struct JobFlagName {
  const job::Flag* flag = nullptr;
  std::string role;  // prefix: "worker" of "worker-memory"; "" = every role
};
JobFlagName find_job_flag(const std::string& name, const job::Kind* kind);

// The commands that have a job flag: "submit-tf, submit-mpi" for "--ps"; "" when all have it, or
// none.
std::string kinds_with_flag(const std::string& flag);

}  // namespace trainctl::options
