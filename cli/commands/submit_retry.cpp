// `--retry`: a job that fails by a cause worth it is submitted again, until one attempt succeeds.
#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "base/text/time.h"
#include "cli/commands/submit.h"
#include "cli/output/following.h"
#include "follow/failure_cause.h"
#include "manifest/rerun.h"
#include "work/create/attempts.h"
#include "work/create/removal.h"

namespace trainctl::cli {
namespace {

constexpr long k_most_attempts = 100;

Status wait_for_turn(Context& context, const work::Attempts& attempts) {
  const Duration pause = work::pause_before(attempts.attempt);
  if (pause == Duration{}) return {};
  context.console.notice(cat(attempts.count(), " begins in ", format_age(pause)));
  TRY_ASSIGN(kube::Client * client, context.client());
  return client->pause(pause);
}

Result<work::FoundJob> submit_again(Context& context, const SubmitOptions& options,
                                    const work::FoundJob& job, const work::Attempts& attempts) {
  const work::LimitedCalls limited(context);
  TRY(wait_for_turn(context, attempts));
  TRY_ASSIGN(work::Submission submission, work::next_attempt(context, job, attempts));
  TRY_ASSIGN(Submitted made, create_from(context, options, submission));
  return std::move(made.job);
}

void announce(Context& context, const work::Attempts& attempts, const Error& verdict,
              const work::FoundJob& next) {
  context.console.warn(verdict.message);
  const std::string line = attempts.rules.line_in(attempts.failure);
  if (!line.empty()) {
    context.console.notice(cat("tried again because of its line: ", printable_line(trim(line))));
  }
  context.console.notice(
      cat(attempts.count(), ": ", work::resource_name(*next.kind, next.name()), " created"));
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
    return Error{Code::usage, "--retry works for one job, not for an array",
                 "rerun the failed jobs: trainctl rerun ARRAY --failed"};
  }
  if (flags.limit.value_or(0) > k_most_attempts) {
    return Error{Code::usage, cat("--retry ", *flags.limit, ": at most ", k_most_attempts),
                 "a job that fails so often needs a fix, not another attempt"};
  }
  const auto rules = job::parse_retry_rules(flags.on);
  if (!rules) return rules.error();
  const std::string_view lone = !flags.on.empty()   ? "--retry-on"
                                : flags.avoid_nodes ? "--avoid-bad-nodes"
                                                    : "";
  if (!flags.limit && !lone.empty()) {
    context.console.warn(cat(lone, " has no effect without --retry N"));
  }
  if (options.array.at_once && !makes_many) {
    context.console.warn("--max-parallel has no effect without --array");
  }
  return {};
}

Status prepare_attempts(Context& context, const RetryFlags& flags, work::Manifest& manifest) {
  if (!flags.limit) return {};
  TRY(work::mark_first_attempt(manifest));
  if (job::restarts_itself(*manifest.kind, manifest.object)) {
    context.console.warn(
        "the cluster itself restarts failed replicas before the job fails and --retry applies; "
        "--restart-policy Never leaves restarts to --retry");
  }
  return {};
}

Status stay_and_retry(Context& context, const SubmitOptions& options, Submitted made) {
  work::FoundJob& job = made.job;
  work::Attempts attempts;
  attempts.attempt = job::attempt_of(*job.kind, job.object).value_or(1);
  TRY_ASSIGN(attempts.rules, job::parse_retry_rules(options.retry.on));
  attempts.limit = options.retry.limit.value_or(0);
  attempts.avoid_nodes = options.retry.avoid_nodes;
  FollowedJobs followed(context, options.waiting, Reports::Shape::attempts);
  followed.retry_if([&](const job::FollowResult& result) { return attempts.decide(result); });
  const options::Format report = options.report_format();
  Status verdict;
  while (true) {
    job::FollowOptions follow = follow_options(options);
    follow.attached = !made.fresh;
    FirstError outcome(context.console);
    followed.follow({job}, follow, outcome);
    verdict = std::move(outcome).outcome();
    if (!attempts.again) break;
    ++attempts.attempt;
    auto next = submit_again(context, options, job, attempts);
    if (!next) {
      if (ending_signal(next.error().code) != nullptr) {
        Error ended = std::move(next).error();
        ended.message += cat(" before another attempt: ", verdict.error().message);
        followed.settle_last(&ended);
        return followed.conclude(std::move(ended), report);
      }
      followed.settle_last(nullptr);
      context.console.warn(cat("no further attempt: ", next.error().message));
      return followed.conclude(std::move(verdict), report);
    }
    announce(context, attempts, verdict.error(), *next);
    job = *std::move(next);
    made.fresh = true;
  }
  const std::string reason = attempts.reason_to_end(verdict);
  if (!reason.empty()) context.console.notice(reason);
  return followed.conclude(std::move(verdict), report);
}

}  // namespace trainctl::cli
