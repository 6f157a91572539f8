// Defines them once for the commands that work inside a replica.
#include "cli/options/target_flags.h"

#include "base/text/text.h"

namespace trainctl::cli {

Result<work::TargetQuery> TargetFlags::query() const {
  TRY_ASSIGN(const job::Kind* wanted, kind_flag(kind));
  TRY_ASSIGN(job::JobRef ref, work::job_ref(jobs.front(), wanted));
  return work::TargetQuery{std::move(ref), rank, container};
}

void add_target_job(const FlagAdder& add, TargetFlags& flags) {
  add.positional("JOB[/REPLICA]", flags.jobs, 1, 1,
                 "job, replica of a job, or pod; the leader if no replica is named");
}

void add_target_flags(const FlagAdder& add, TargetFlags& flags) {
  check_values(add.text("--rank", flags.rank, "N", "the replica with this rank"),
               [](const std::string& text) {
                 return job::parse_index(text) ? "" : cat("`", text, "` is not a rank");
               });
  add.text("-c,--container", flags.container, "NAME", "container, if not the training one");
  add_kind_flag(add, flags.kind, "the job's kind, where names are ambiguous");
}

}  // namespace trainctl::cli
