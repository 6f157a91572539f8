// Refuses flags of following that could not be kept at its end.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "cli/options/flags.h"

namespace trainctl::cli {

// Refuses, before anything is sent, places where a report or a saved log could not be written at
// the end: Code::usage.
Status check_following(Context& context, const options::WaitFlags& flags,
                       const std::string& save_logs);

// Refuses flags that may delete the job, where the command chooses it: Code::usage.
Status check_unnamed(const options::WaitFlags& flags);

}  // namespace trainctl::cli
