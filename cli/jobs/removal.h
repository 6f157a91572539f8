// Removing a job and waiting, in small steps, until nothing is left of it.
#pragma once

#include <optional>

#include "base/result.h"
#include "cli/context.h"
#include "job/kind/kind.h"

namespace trainctl::cli {

// One --timeout for all that a command waits for, counted from `begin`.
struct WaitLimit {
  std::optional<Duration> timeout;  // nullopt = none
  Time begin;

  bool is_over(Time now) const { return timeout && now - begin >= *timeout; }
};

// Deletes this very object (by uid); a namesake made meanwhile stays. That somebody else was faster
// is no error.
Status remove_job(Context& context, const job::Kind& kind, const Json& object);

// Returns when the object and its pods are gone; Code::timeout when the limit is over before.
Status wait_until_gone(Context& context, const job::Kind& kind, const Json& object,
                       const WaitLimit& limit);

}  // namespace trainctl::cli
