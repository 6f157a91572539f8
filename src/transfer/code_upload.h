// Sends the code of a submit to the claim from which the job's pods unpack it, by a helper pod.
#pragma once

#include <functional>

#include "base/result.h"
#include "work/access.h"
#include "work/create/manifest.h"

namespace trainctl::work {

// For CreateLimits::prepare: puts the manifest's code into its claim, once for all jobs of a line;
// unset when no claim is to hold any. An archive gets its name in the claim when its checksum is
// right, and one that is there already is not sent. All arguments must outlive the result.
std::function<Status()> upload_of_code(Access& access, const Manifest& manifest);

}  // namespace trainctl::work
