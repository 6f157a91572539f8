// Asks processes whose Python stack could not be read to write it into their log.
#pragma once

#include "work/session/look_inside.h"

namespace trainctl::work {

// Sends SIGUSR1 to those of the look's processes that can be asked, and puts the stacks that come
// into its members. A notice names the processes before. An error is a signal to this program.
Status ask_for_stacks(Access& access, InsideLook& look);

}  // namespace trainctl::work
