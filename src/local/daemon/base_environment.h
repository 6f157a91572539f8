// The environment that every container of the embedded cluster gets, whatever its job says.
#pragma once

#include "base/environment.h"

namespace trainctl::local {

// Those variables of the daemon's environment that belong to the user and the machine, and not to
// the terminal or the job from which the daemon happened to be started.
Environment base_environment(const Environment& daemon);

// The number of NVIDIA devices of this machine.
int gpus_present();

}  // namespace trainctl::local
