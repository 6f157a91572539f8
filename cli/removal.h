// Removing a job and waiting, in small steps, until nothing is left of it.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/context.h"
#include "job/kind.h"

namespace trainctl::cli {

// Deletes this very object (by uid) and returns when it and its pods are gone. Code::timeout when
// that takes longer than `timeout`.
Status remove_and_wait(Context& context, const job::Kind& kind, const Json& object,
                       std::optional<Duration> timeout);

// The second half: waits until object and pods are gone.
Status wait_until_gone(Context& context, const job::Kind& kind, const Json& object,
                       std::optional<Duration> timeout);

}  // namespace trainctl::cli
