// libarchive, loaded when the first archive is written or read.
#pragma once

#include "base/result.h"

namespace trainctl {

// Loads libarchive; the functions of archive.h may be called only after it has succeeded.
// Code::error when this machine has none.
Status load_archive();

}  // namespace trainctl
