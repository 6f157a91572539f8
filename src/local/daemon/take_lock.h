// Waits for the lock that makes a process the one daemon of a state directory.
#pragma once

#include "base/loop/loop.h"
#include "local/daemon/listen.h"
#include "local/daemon/places.h"

namespace trainctl::local {

// The lock, or empty when another daemon holds it and serves. Waits for a holder that does not
// serve yet or is just ending; Code::error when it does neither for a minute, or serves in another
// run-time directory. Runs the loop.
Result<Descriptor> take_lock(UvLoop& loop, const Places& places);

// Returns why the daemon that holds the lock cannot be reached, and what to do.
Error held_by_another(const Places& places);

}  // namespace trainctl::local
