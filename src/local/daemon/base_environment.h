// What every container of the embedded cluster finds, whatever its job says.
#pragma once

#include "base/environment.h"

namespace trainctl::local {

// The variables of the daemon's own environment that belong to the user and the machine, and not
// to the terminal or the job the daemon happened to be started from.
Environment base_environment(const Environment& daemon);

// NVIDIA devices of this machine.
int gpus_present();

}  // namespace trainctl::local
