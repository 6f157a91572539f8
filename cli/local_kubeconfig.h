// The kubeconfig for the embedded cluster's port. It holds a token that can do everything as this
// user, so it goes only where no other user can read it.
#pragma once

#include <string>

#include "base/result.h"
#include "base/value/json.h"
#include "cli/context.h"

namespace trainctl::cli {

// Checks the target before anything is started. `path` is that of --write, "" = stdout. Code::usage
// when others could read the token, or when it would overwrite a file that trainctl did not write.
Status check_kubeconfig_target(const Console& console, const std::string& path);

// Writes the kubeconfig, made from what the daemon reports about its port.
Status put_kubeconfig(Context& context, const std::string& path, const Json& facts);

}  // namespace trainctl::cli
