// Refuses follow flags that could not be honoured when following ends.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/context.h"
#include "cli/options/bind.h"

namespace trainctl::cli {

// Refuses (Code::usage), before anything is sent, places where a report or a saved log could not be
// written at the end or would be read as commands of a CI system, a directory for logs that holds
// files, and a --notify that cannot work.
Status check_following(Context& context, const options::WaitFlags& flags,
                       const std::string& save_logs);

// Refuses flags that may delete the job when the user has not named the job: Code::usage.
Status check_unnamed(const options::WaitFlags& flags);

}  // namespace trainctl::cli
