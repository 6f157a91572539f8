// The addresses that the embedded cluster gives to a job's services.
#pragma once

#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Empty for a job of another cluster.
Result<LocalAddresses> local_addresses(Access& access, const FoundJob& job);

}  // namespace trainctl::work
