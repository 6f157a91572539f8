// Decides what becomes of a job that has not ended when following does. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "job/follow/log_choice.h"
#include "job/kind/kind.h"
#include "job/status/state.h"

namespace trainctl::job {

struct LeaveRules {
  bool delete_on_give_up = false;    // --on-give-up=delete
  bool delete_on_interrupt = false;  // --on-interrupt=cancel
};

enum class EndedBy {
  judgement,
  lost_output,  // stdout takes no more lines: a full disk, a reader that went away
};

// Says whether the job continues and nobody waits for it any more: the verdict is neither the
// job's, nor the chosen replica's, nor an interruption. Lines that cannot be written say nothing
// about the job, and count as an interruption.
bool is_given_up(const Status& verdict, EndedBy by, Phase phase, const LogSelection& selection);

// The flag by which the job is deleted after this verdict, "--on-give-up=delete" or
// "--on-interrupt=cancel"; "" when the job is kept, as after its own verdict or the chosen
// replica's.
std::string_view deleting_flag(const LeaveRules& rules, const Status& verdict, EndedBy by,
                               Phase phase, const LogSelection& selection);

// Adds a hint on how to follow the job again.
Error going_on(Error output_lost, std::string_view job_name);
// The verdict once the job was deleted by that flag.
Error after_deletion(Error verdict, std::string_view job_name, std::string_view flag);

// Returns how long the pods of a deleted job may take to stop: their longest grace period and a
// little.
Duration longest_stop(const Kind& kind, const Json& job);

}  // namespace trainctl::job
