// Reads what another run of a job needs.
#pragma once

#include <memory>

#include "base/result.h"
#include "job/manifest/companions.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The manifest of another run of the job, and the config maps, secrets and claims that the job
// owns. This run will own them as well, so that they stay when the job is deleted; only their
// metadata is kept here. Code::not_found when the cluster has lost something that the pods need.
Result<std::shared_ptr<const job::JobFile>> read_for_rerun(Access& access, const FoundJob& job);

}  // namespace trainctl::work
