// How long a failing container waits before it is run again.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace trainctl::local {

// At once, then after 10 s, 20 s, … 5 min: the pause once it has been restarted `restarts` times.
Duration pause_after(int restarts);
// The pause that follows `pause`, set at `set`, when a run ended at `ended`: a run of more than ten
// minutes begins anew.
Duration next_pause(Duration pause, std::optional<Time> set, Time ended);

// "10s", "1m20s", "5m0s": as Go prints whole seconds.
std::string go_duration(Duration duration);

}  // namespace trainctl::local
