// libcurl, loaded when the first command needs the network.
#pragma once

#include "base/result.h"

namespace trainctl::net {

// Loads libcurl; the functions of curl.h may be called only after it has succeeded. Code::error
// when this machine has no usable libcurl.
Status load_curl();

}  // namespace trainctl::net
