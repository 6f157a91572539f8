// Prints the logs of jobs as they are now, for `logs` without -f.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/console/console.h"
#include "base/value/json.h"
#include "cli/context.h"
#include "follow/log_choice.h"
#include "logs/archive_writer.h"
#include "logs/log_session.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/replica.h"
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

// Prints the log of a job that is gone, as the history has kept it. `gone` says that the cluster
// has no such job, or none of its pods, and is returned when the history kept no log of it. `uid`:
// of the job, if it exists. Code::usage for --previous, and for ranks that are not numbers. `turn`:
// of a job that was stopped and resumed, from 1; else the last.
Status print_past_log(Context& context, const job::JobRef& job, const std::string& uid,
                      const job::LogChoice& choice, Error gone, std::optional<long> turn = {});

// Prints what the history has kept of the log of this run.
Status print_log_of_run(Context& context, const work::PastRun& run, const job::LogChoice& choice,
                        std::optional<long> turn);

// Prints lines that the history has kept, in this form. `places`: where they go besides stdout.
Status print_archived_lines(Context& context, const job::Kind& kind, const job::PrintOptions& form,
                            const job::LogPlaces& places,
                            const std::vector<job::ArchivedLine>& lines);

}  // namespace trainctl::cli
