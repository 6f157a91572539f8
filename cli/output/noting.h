// Notes in the history what is submitted and followed. Trouble with it is a warning, never a
// failure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/context.h"
#include "cli/options/flags.h"
#include "job/follow/follow.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Notes the job that this command has created from the manifest.
void note_created(Context& context, const work::FoundJob& job, const Json& manifest);
// Notes how following the job ended. `waited_for`: what it was followed for; `saved_logs`: the
// directory with its logs, or "".
void note_followed(Context& context, const work::FoundJob& job, const job::FollowResult& result,
                   job::WaitFor waited_for, const std::string& saved_logs);

// Has the history keep what a follow prints, if it prints the log from its beginning on.
void keep_log(Context& context, const work::FoundJob& job, const options::WaitFlags& flags,
              job::FollowOptions& options);

// The newest run that the history has of a job of this cluster, without its manifest; a history
// that cannot be read has none. There must be a history.
std::optional<work::PastRun> newest_run(Context& context, const job::JobRef& job);

// `gone`, with the names that the history has where its hint would be, if the reference is the name
// of an array of this cluster whose jobs are gone. `command`: what to type before a name.
Error naming_past_members(Context& context, const job::JobRef& array, std::string_view command,
                          Error gone);

// The job as the history remembers it, for a new run of one that is gone: `gone` says so, and comes
// back when there is no such run in this cluster. Code::usage when its manifest was not kept whole.
Result<work::FoundJob> remembered_job(Context& context, const job::JobRef& job, Error gone);

}  // namespace trainctl::cli
