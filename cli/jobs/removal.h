// Removing a job and waiting, in small steps, until nothing is left of it.
#pragma once

#include <optional>

#include "base/deadline.h"
#include "base/result.h"
#include "cli/context.h"
#include "job/kind/kind.h"

namespace trainctl::cli {

// Deletes this very object (by uid); a namesake made meanwhile stays. That somebody else was faster
// is no error.
Status remove_job(Context& context, const job::Kind& kind, const Json& object);

// Returns when the object and its pods are gone; Code::timeout when the deadline is over before.
Status wait_until_gone(Context& context, const job::Kind& kind, const Json& object,
                       const std::optional<Deadline>& deadline);

}  // namespace trainctl::cli
