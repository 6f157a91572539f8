// `--retry`: a job that fails by a cause worth it is submitted again, until one attempt succeeds.
#include <algorithm>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "base/text/time.h"
#include "cli/commands/submit.h"
#include "cli/output/following.h"
#include "cli/output/log_printing.h"
#include "job/follow/failure_cause.h"
#include "job/manifest/attempt.h"
#include "job/manifest/check.h"
#include "job/manifest/rerun.h"
#include "work/create/removal.h"
#include "work/create/rerun.h"

namespace trainctl::cli {
namespace {

constexpr long k_most_attempts = 100;
// The second attempt begins at once, and each later one after twice as long a pause.
constexpr Duration k_first_pause = std::chrono::seconds(10);
constexpr Duration k_longest_pause = std::chrono::minutes(5);

Duration pause_before(long attempt) {
  if (attempt < 3) return {};
  Duration pause = k_first_pause;
  for (long i = 3; i < attempt && pause < k_longest_pause; ++i) pause *= 2;
  return std::min(pause, k_longest_pause);
}

// Decides about further attempts, and remembers what the last one showed.
struct Retrying {
  job::RetryRules rules;
  long limit = 0;
  long attempt = 1;
  bool again = false;
  bool goes_on = false;  // the job was given up
  job::Failure failure;

  // A job that goes on, or was deleted, is not submitted a second time.
  bool decide(const job::FollowResult& result) {
    const Status& verdict = result.outcome.verdict;
    const bool has_failed =
        !verdict && verdict.error().code == Code::job_failed && !result.given_up && !result.deleted;
    goes_on = result.given_up;
    failure = job::failure_of(result.outcome);
    again = has_failed && attempt <= limit && rules.cover(failure);
    return again;
  }
};

Status wait_for_turn(Context& context, const Retrying& retrying) {
  const Duration pause = pause_before(retrying.attempt);
  if (pause == Duration{}) return {};
  context.console.notice(cat("attempt ", retrying.attempt, " of ", retrying.limit + 1,
                             " begins in ", format_age(pause)));
  TRY_ASSIGN(kube::Client * client, context.client());
  return work::pause(*client, pause);
}

Result<work::FoundJob> submit_again(Context& context, const SubmitOptions& options,
                                    const work::FoundJob& job, const Retrying& retrying,
                                    const std::optional<Deadline>& deadline) {
  const work::LimitedCalls limited(context, deadline);
  TRY(wait_for_turn(context, retrying));
  work::ManifestSource source;
  source.kind = job.kind;
  TRY_ASSIGN(source.earlier, work::read_for_rerun(context, job));
  TRY_ASSIGN(work::Manifest manifest, work::build_manifest(context, source));
  job::mark_attempt(*manifest.kind, manifest.object, static_cast<int>(retrying.attempt));
  // The job that has failed avoids the nodes of those before it.
  const std::string& node = retrying.failure.node;
  if (options.retry.avoid_nodes && !node.empty()) {
    job::avoid_node(*manifest.kind, manifest.object, node);
  }
  TRY_ASSIGN(work::Submission submission,
             work::Submission::prepare(context, std::move(manifest), {work::Api::v1, ""}, true));
  TRY_ASSIGN(Submitted made, create_from(context, options, submission, deadline));
  return std::move(made.job);
}

void announce(Context& context, const Retrying& retrying, const Error& verdict,
              const work::FoundJob& next) {
  context.console.warn(verdict.message);
  context.console.notice(cat("attempt ", retrying.attempt, " of ", retrying.limit + 1, ": ",
                             work::resource_name(*next.kind, next.name()), " created"));
}

void explain_the_end(Context& context, const Retrying& retrying, const Status& verdict) {
  if (verdict || verdict.error().code != Code::job_failed) return;
  if (retrying.attempt > retrying.limit) {
    context.console.notice(cat("all ", plural(retrying.attempt, "attempt"), " failed"));
  } else if (retrying.goes_on) {
    context.console.notice(
        "not tried again, since the job goes on: --restart-policy Never ends it at a failure");
  } else if (!retrying.rules.cover(retrying.failure)) {
    context.console.notice(cat("not tried again: --retry-on does not name the cause, which is ",
                               retrying.failure.words()));
  }
}

}  // namespace

void add_retry_flags(const OptionBinder& bind, RetryFlags& flags) {
  refuse_below_one(bind("retry", flags.limit));
  bind("retry-on", flags.on);
  bind("avoid-bad-nodes", flags.avoid_nodes);
}

Status check_retry(Context& context, const SubmitOptions& options) {
  const RetryFlags& flags = options.retry;
  const bool makes_many = !options.array.axes.empty() || options.array.failed;
  if (flags.limit && makes_many) {
    return Error{Code::usage, "--retry is for one job, and not for an array",
                 "run those that failed again: trainctl rerun ARRAY --failed"};
  }
  if (flags.limit.value_or(0) > k_most_attempts) {
    return Error{Code::usage, cat("--retry ", *flags.limit, ": at most ", k_most_attempts),
                 "a job that fails so often has a fault of its own"};
  }
  const auto rules = job::parse_retry_rules(flags.on);
  if (!rules) return rules.error();
  const std::string_view lone = !flags.on.empty()   ? "--retry-on"
                                : flags.avoid_nodes ? "--avoid-bad-nodes"
                                                    : "";
  if (!flags.limit && !lone.empty()) {
    context.console.warn(cat(lone, " has no effect without --retry, which says how often"));
  }
  if (options.array.at_once && !makes_many) {
    context.console.warn("--max-parallel has no effect without --array");
  }
  return {};
}

Status prepare_attempts(Context& context, const RetryFlags& flags, work::Manifest& manifest) {
  if (!flags.limit) return {};
  // A name of the server's must fit into the same limits.
  const Json again = job::rerun_manifest(*manifest.kind, manifest.object);
  Status fits = job::check_manifest(*manifest.kind, again);
  if (!fits) return in_context("--retry needs a shorter --name", std::move(fits).error());
  if (job::restarts_itself(*manifest.kind, manifest.object)) {
    context.console.warn(
        "the cluster restarts failed replicas itself before the job fails and --retry follows; "
        "--restart-policy Never leaves that to --retry");
  }
  job::mark_attempt(*manifest.kind, manifest.object, 1);
  return {};
}

Status stay_and_retry(Context& context, const SubmitOptions& options, work::FoundJob job,
                      const std::optional<Deadline>& deadline) {
  Retrying retrying;
  TRY_ASSIGN(retrying.rules, job::parse_retry_rules(options.retry.on));
  retrying.limit = options.retry.limit.value_or(0);
  FollowedJobs followed(context, options.waiting, Reports::Shape::attempts);
  followed.retry_if([&](const job::FollowResult& result) { return retrying.decide(result); });
  const options::Format report = options.report_format();
  Status verdict;
  while (true) {
    verdict = followed.follow(job, follow_options(options, deadline),
                              logs_of_job(options.log.save, job.name()));
    if (!retrying.again) break;
    ++retrying.attempt;
    auto next = submit_again(context, options, job, retrying, deadline);
    if (!next) {
      followed.settle_last();
      const bool is_signal = ending_signal(next.error().code) != nullptr;
      if (is_signal) return followed.conclude(std::move(next).error(), report);
      context.console.warn(cat("no further attempt: ", next.error().message));
      return followed.conclude(std::move(verdict), report);
    }
    announce(context, retrying, verdict.error(), *next);
    job = *std::move(next);
  }
  explain_the_end(context, retrying, verdict);
  return followed.conclude(std::move(verdict), report);
}

}  // namespace trainctl::cli
