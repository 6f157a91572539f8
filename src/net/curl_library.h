// libcurl, loaded when the first transport is made.
#pragma once

#include "base/result.h"

namespace trainctl::net {

// Code::error with the loader's reason when this machine lacks it. Must succeed before any function
// of libcurl is called.
Status load_curl();

}  // namespace trainctl::net
