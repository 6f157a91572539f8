// Finds objects that already have the name of a job to be created, or the names of its pods.
#pragma once

#include <string>

#include "work/access.h"
#include "work/create/manifest.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// Returns "Running, created 2m ago by ada", as far as it is known. The user comes from the label of
// templates, because the server's own record (managedFields) names programs and never users.
std::string describe_namesake(Access& access, const FoundJob& job);

// Refuses a job whose pods could not be created, because pods of another owner have their names,
// mostly those of a job of another kind and this name: the server would accept the job, and it
// would wait for ever. One request.
Status check_pod_names(Access& access, const Manifest& manifest);

}  // namespace trainctl::work
