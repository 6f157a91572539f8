// The flags that send code along with a job.
#pragma once

#include "cli/code/pack.h"
#include "cli/options/flags.h"

namespace trainctl::cli {

void add_code_flags(const FlagAdder& submit, CodeSource& code);

}  // namespace trainctl::cli
