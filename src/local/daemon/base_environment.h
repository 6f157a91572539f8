// The environment that every container of the embedded cluster gets, in addition to its job's.
#pragma once

#include "base/environment.h"

namespace trainctl::local {

// Returns the variables of the daemon's environment that belong to the user and the machine, not to
// the terminal or the job that happened to start the daemon.
Environment base_environment(const Environment& daemon);

// The number of NVIDIA devices of this machine.
int gpus_present();

}  // namespace trainctl::local
