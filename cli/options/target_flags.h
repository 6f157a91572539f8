// The flags and the argument that choose one replica: exec, attach, port-forward, cp, fetch.
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "work/session/target.h"

namespace trainctl::cli {

struct TargetFlags {
  std::vector<std::string> jobs;  // exactly one
  std::string kind, rank, container;

  // Code::usage for an unknown kind or a malformed JOB[/REPLICA].
  Result<work::TargetQuery> query() const;
};
void add_target_flags(const OptionBinder& bind, TargetFlags& flags);
// The one positional argument of most of them.
void add_target_job(const OptionBinder& bind, TargetFlags& flags);

}  // namespace trainctl::cli
