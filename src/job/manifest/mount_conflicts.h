// Finds flags that mount different volumes at one path, since only one of them would be seen there.
#pragma once

#include "base/result.h"
#include "job/manifest/flag_patch.h"

namespace trainctl::job {

// Code::usage that names both flags and the path. A flag of one role may replace one of all roles,
// and --git-sync and --download may fill what another flag mounts. `with_code`: --code is mounted
// in every role.
Status check_mount_conflicts(const FlagContext& context, bool with_code);

}  // namespace trainctl::job
