// The kubeconfig for the embedded cluster's port. It holds a token that can do everything as this
// user, so it goes only where no other user can read it.
#pragma once

#include <string>

#include "base/console.h"
#include "base/json.h"
#include "base/result.h"

namespace trainctl::cli {

// Asked before anything is started. `path` is --write's, "" = stdout. Code::usage where others
// could read the token, or where a file would be lost that is none of ours.
Status check_kubeconfig_target(const Console& console, const std::string& path);

// From what the daemon reports of its port.
Status put_kubeconfig(Console& console, const std::string& path, const Json& facts);

}  // namespace trainctl::cli
