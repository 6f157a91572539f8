// Reads the dumps of PyTorch's flight recorder that lie in the replicas of a job.
#pragma once

#include "work/session/look_inside.h"

namespace trainctl::work {

// Reads each dump that the look has found, at most 8 MiB of it, and puts what they say together
// into the look. An error is a signal to this program.
Status read_dumps(Access& access, InsideLook& look);

}  // namespace trainctl::work
