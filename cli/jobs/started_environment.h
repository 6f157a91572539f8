// The environment that a program of the embedded cluster got, whose kubelet rewrites addresses.
#pragma once

#include <vector>

#include "cli/context.h"
#include "cli/jobs/find_job.h"
#include "cli/jobs/replica_environment.h"

namespace trainctl::cli {

// What the embedded cluster's kubelet rewrites for a job; empty for a job of another cluster, where
// programs get what their pods say.
struct LocalAddresses {
  std::vector<Json> services;   // of the job's namespace
  Json ports = Json::object();  // of this machine, by "SERVICE:PORT"
};
Result<LocalAddresses> local_addresses(Context& context, const FoundJob& job);

// Rewrites the values as the kubelet did for this container, if it has started one.
void apply(const LocalAddresses& addresses, const Json& pod, const Json& container,
           std::vector<EnvironmentVariable>& variables);

}  // namespace trainctl::cli
