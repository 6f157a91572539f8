// The flags that send code along with a job.
#pragma once

#include "cli/options/flags.h"
#include "work/code/pack.h"

namespace trainctl::cli {

void add_code_flags(const OptionBinder& bind, work::CodeSource& code);

}  // namespace trainctl::cli
