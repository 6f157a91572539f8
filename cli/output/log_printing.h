// Prints the logs of jobs as they are now, for `logs` without -f.
#pragma once

#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/value/json.h"
#include "cli/context.h"
#include "job/follow/log_choice.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Prints the logs that `choice` selects. `pods`: the job's.
Status print_log_of(Context& context, Console& console, const work::FoundJob& found,
                    std::vector<Json> pods, const job::LogChoice& choice);

// Prints one job after another; if a job was found with a replica, only that replica's log. If a
// job's log cannot be printed, the others are printed all the same; the first such error is the
// outcome. `save`: the directory that gets one directory of log files for each job; "" saves none.
Status print_logs_of(Context& context, const std::vector<work::FoundJob>& jobs,
                     job::LogChoice choice, const std::string& save);

// Keeps the present logs of all replicas in the history, and prints none of them. An error when the
// history or a log is unavailable.
Status keep_logs_of(Context& context, const work::FoundJob& job);

// Returns where lines go besides stdout: --save-logs' directory ("" = nowhere), and the spool.
job::LogPlaces log_places(Context& context, const std::string& save_logs);

// Returns the names of the jobs for lines and messages: "ddp", or "tf/ddp" beside "pytorch/ddp".
std::vector<std::string> distinct_names(const std::vector<work::FoundJob>& jobs);

// The directory below --save-logs for one of several jobs; "" without the flag.
std::string logs_of_job(const std::string& save_logs, const std::string& job);

}  // namespace trainctl::cli
