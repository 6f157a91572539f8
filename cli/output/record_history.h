// Notes in the history what is submitted and followed. Trouble with it is a warning, never a
// failure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/context.h"
#include "cli/options/bind.h"
#include "follow/follow.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// The facts that the job itself tells of its run.
work::PastRun run_of(const Context& context, const work::FoundJob& job);

// The manifest as the history would keep it, to be compared with one that it has.
Json as_history_keeps(Context& context, const Json& manifest);

// Notes the job that this command has created from the manifest; with `values`, all that are no
// credentials (--history-values).
void note_created(Context& context, const work::FoundJob& job, const Json& manifest,
                  bool values = false);
// Notes how following the job ended. `waited_for`: what it was followed for; `saved_logs`: the
// directory with its logs, or "".
void note_followed(Context& context, const work::FoundJob& job, const job::FollowResult& result,
                   const job::FollowOptions& options, const std::string& saved_logs);

// Notes a job whose log the history keeps without following it.
void note_log_kept(Context& context, const work::FoundJob& job);
// Notes the metrics of a run, as its whole log has them.
void note_metrics(Context& context, work::PastRun run, const job::MetricRecord& metrics);

// Has the history keep what a follow prints, if it prints the log from its beginning on.
void keep_log(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
              job::FollowOptions& options);

}  // namespace trainctl::cli
