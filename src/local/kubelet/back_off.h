// Decides how long a failing container waits before it is run again.
#pragma once

#include <optional>
#include <string>

#include "base/text/time.h"

namespace trainctl::local {

// The pause after `restarts` restarts: none, then 10 s, 20 s, … 5 min.
Duration pause_after(int restarts);
// The pause that follows `pause`, which was set at `set`, for a run that ended at `ended`: after a
// run of more than ten minutes, pauses begin anew.
Duration next_pause(Duration pause, std::optional<Time> set, Time ended);

// Prints whole seconds as Go does: "10s", "1m20s", "5m0s".
std::string go_duration(Duration duration);

}  // namespace trainctl::local
