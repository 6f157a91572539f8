// Defines them once for the commands that work inside a replica.
#include "cli/options/target_flags.h"

#include "base/text/text.h"

namespace trainctl::cli {

Result<work::TargetQuery> TargetFlags::query() const {
  TRY_ASSIGN(const job::Kind* wanted, options::kind_flag(kind));
  TRY_ASSIGN(job::JobRef ref, work::job_ref(jobs.front(), wanted));
  return work::TargetQuery{std::move(ref), rank, container};
}

void add_target_job(const OptionBinder& bind, TargetFlags& flags) {
  bind.positional("Selection", "JOB[/REPLICA]", flags.jobs, 1, 1,
                  "job, replica of a job, or pod; the leader if no replica is named");
}

void add_target_flags(const OptionBinder& bind, TargetFlags& flags) {
  check_values(bind("rank", flags.rank), [](const std::string& text) {
    return job::parse_index(text) ? "" : cat("`", text, "` is not a rank");
  });
  bind("container", flags.container);
  add_kind_flag(bind, flags.kind);
}

}  // namespace trainctl::cli
