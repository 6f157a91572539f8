// Waits for the lock that makes a process the one daemon of a state directory.
#pragma once

#include "base/loop.h"
#include "local/daemon/listen.h"
#include "local/daemon/places.h"

namespace trainctl::local {

// Empty when another daemon has the lock and serves. One that has it and does not serve yet, or
// ends just now, is waited for; Code::error when it does neither for a minute, or serves in another
// run-time directory. Runs the loop.
Result<Descriptor> take_lock(UvLoop& loop, const Places& places);

}  // namespace trainctl::local
