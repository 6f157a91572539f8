// Proves that a job is a member of an array, or another run of a job. Labels and annotations prove
// nothing: whoever may create jobs in the namespace can write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "status/state.h"
#include "work/access.h"
#include "work/find/find_job.h"

namespace trainctl::work {

// The variable that holds the key, so that the steps of a pipeline share it.
inline constexpr std::string_view k_lineage_key_variable = "TRAINCTL_LINEAGE_KEY";

// The key that is this user's own: TRAINCTL_LINEAGE_KEY, else that of a file beside the history,
// which is made here. "" = there is none, or others could have written it.
std::string user_key(Access& access);

// Adds the annotation that proves the lineage of a job that is created now, and first a name where
// the server would choose one: `unique` completes it. Returns a job without lineage unchanged.
Json with_proof(Access& access, const job::Kind& kind, const std::string& ns, Json job,
                const std::string& unique);

// True when the job was submitted from this machine, or to this user's embedded cluster, or when
// its annotation was made with the user's key for exactly this cluster, name, lineage and program.
bool has_proof(Access& access, const FoundJob& job);

// "cover claims to be of array sweep, but was not submitted from here". `what`: "of array sweep".
std::string words_for_claims(const std::vector<std::string>& names, std::string_view what);

// Those of the jobs that prove to be of the array, in their order; Code::not_found when none does.
// The others are named in a notice.
Result<std::vector<FoundJob>> own_members(Access& access, const std::string& array,
                                          std::vector<FoundJob> claiming);

// The attempts that --retry has made at the job after this one, and that prove to be the user's,
// oldest first. Sends no request for a job that --retry has not created; none as well where the
// jobs cannot be listed.
std::vector<FoundJob> attempts_after(Access& access, const FoundJob& job);

// The last of them, with a notice that names it; the job itself where there is none.
FoundJob latest_attempt(Access& access, FoundJob job);

// Finds the newest job that was submitted as another run of a job, by --retry or `rerun`.
struct LaterRun {
  std::string name;
  job::Phase phase = job::Phase::submitted;
};

// The same among the jobs of the namespace. nullopt as well where they cannot be listed: a later
// run is worth a hint, and no error.
std::optional<LaterRun> find_later_run(Access& access, const FoundJob& job);

// "was submitted again as ddp-x7k2p, which has succeeded", to follow the job's name.
std::string words_of(const LaterRun& later);

}  // namespace trainctl::work
