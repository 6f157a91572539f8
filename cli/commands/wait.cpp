// `trainctl wait`: stays with a job, without its logs, until it is as asked.
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options/flags.h"
#include "cli/output/following.h"

namespace trainctl::cli {
namespace {

struct Options {
  std::vector<std::string> jobs;
  std::string kind, wait_for, output;
  WaitFlags wait;
};

job::WaitFor wait_for(const std::string& text) {
  if (text == "running") return job::WaitFor::running;
  if (text == "succeeded") return job::WaitFor::succeeded;
  if (text == "failed") return job::WaitFor::failed;
  if (text == "deleted") return job::WaitFor::deleted;
  return job::WaitFor::verdict;
}

Status run(const Options& options, Context& context) {
  TRY(check_following(context, options.wait, ""));
  TRY_ASSIGN(const job::Kind* kind, kind_flag(options.kind));
  TRY_ASSIGN(const job::JobRef ref, job_ref(options.jobs.front(), kind));
  const Time began = context.loop.now();
  auto found = find_job(context, ref);
  if (!found) {
    const bool gone = found.error().code == Code::not_found && options.wait_for == "deleted";
    if (gone) return {};
    return give_up(context, {ref.kind, context.ns(), ref.name, began}, options.wait,
                   std::move(found).error());
  }
  if (!found->replica.empty()) {
    return Error{Code::usage, "wait is for whole jobs, not for a replica",
                 cat("trainctl logs -f ", options.jobs.front(), " ends with that replica")};
  }
  job::FollowOptions follow;
  follow.selection.none = true;
  follow.wait_for = wait_for(options.wait_for);
  return follow_job(context, *found, std::move(follow), options.wait, "", options.output);
}

}  // namespace

Runner define_wait(const Definition& definition) {
  auto options = std::make_shared<Options>();
  const FlagAdder add{definition.app, "Waiting"};
  add.positional("JOB", options->jobs, 1, 1, "job to wait for");
  add.choice("--for", options->wait_for, {"running", "succeeded", "failed", "deleted"},
             "what to wait for (default: the verdict, success or failure)");
  add_kind_flag(add, options->kind, "the job's kind, where names are ambiguous");
  add_wait_flags(add, options->wait);
  add.choice("-o,--output", options->output, {"json", "yaml", "name"}, "print the final report");
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace trainctl::cli
