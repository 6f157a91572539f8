// `trainctl config trust`: consent to what a working tree's file says.
#pragma once

#include "base/result.h"
#include "cli/context.h"

namespace trainctl::cli {

// Shows the working tree's file and all files that it names, and asks for consent unless `yes` is
// set. Code::usage when there is no terminal to ask on.
Status trust_working_tree(Context& context, bool yes);

}  // namespace trainctl::cli
