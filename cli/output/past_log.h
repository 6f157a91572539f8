// Prints what the history has kept of the log of a job that is gone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "job/follow/log_choice.h"
#include "job/kind/kind.h"
#include "job/kind/replica.h"
#include "job/logs/kept_log.h"
#include "job/logs/log_session.h"

namespace trainctl::cli {

// `gone` says that the cluster has no such job, or none of its pods, and is returned when the
// history kept no log of it. `uid`: of the job, if it exists. Code::usage for --previous, and for
// ranks that are not numbers. `turn`: of a job that was stopped and resumed, from 1; else the last.
Status print_past_log(Context& context, const job::JobRef& job, const std::string& uid,
                      const job::LogChoice& choice, Error gone, std::optional<long> turn = {});

// Prints lines that the history has kept, in this form. `places`: where they go besides stdout.
Status print_kept_lines(Context& context, const job::Kind& kind, const job::PrintOptions& form,
                        const job::LogPlaces& places, const std::vector<job::KeptLine>& lines);

}  // namespace trainctl::cli
