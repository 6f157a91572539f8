// What is done when a followed job prints nothing for long: --stall and --on-stall.
#pragma once

#include <string>

#include "cli/context.h"
#include "job/follow/stall_watch.h"
#include "options/table/choices.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// `container`: the one whose log is followed; "" = the training one.
job::StallRules stall_rules(Context& context, const work::FoundJob& job,
                            const std::string& container, const options::WaitFlags& flags);

}  // namespace trainctl::cli
