// Whether a job that has failed is submitted again, when, and what the user reads if it is not.
#include "work/create/attempts.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::testing {
namespace attempts_test {

job::FollowResult failed() {
  job::FollowResult result;
  result.outcome.verdict = Error{Code::job_failed, "job ddp failed", ""};
  return result;
}

work::Attempts attempts_of(long limit) {
  work::Attempts attempts;
  attempts.rules.chosen = job::RetryRules::Chosen::any;
  attempts.limit = limit;
  return attempts;
}

TEST_CASE("the pause before an attempt doubles, up to five minutes") {
  constexpr std::pair<long, long> k_seconds[] = {{1, 0},   {2, 0},   {3, 10},   {4, 20},
                                                 {8, 300}, {9, 300}, {100, 300}};
  for (const auto& [attempt, seconds] : k_seconds) {
    CAPTURE(attempt);
    CHECK(work::pause_before(attempt) == std::chrono::seconds(seconds));
  }
}

TEST_CASE("a job that has failed is submitted again, as often as allowed") {
  work::Attempts attempts = attempts_of(1);
  CHECK(attempts.decide(failed()));
  CHECK(attempts.count() == "attempt 1 of 2");
  attempts.attempt = 2;
  CHECK_FALSE(attempts.decide(failed()));
  CHECK(attempts.reason_to_end(failed().outcome.verdict) == "all 2 attempts failed");
}

TEST_CASE("a job that goes on, is deleted or has not failed is not submitted a second time") {
  work::Attempts attempts = attempts_of(3);
  job::FollowResult result = failed();
  result.outcome.job = job::Deleted{};
  CHECK_FALSE(attempts.decide(result));
  result = failed();
  result.given_up = true;
  CHECK_FALSE(attempts.decide(result));
  CHECK(attempts.reason_to_end(result.outcome.verdict).starts_with("not tried again, since"));
  result = failed();
  result.outcome.verdict = Error{Code::timeout, "timed out", ""};
  CHECK_FALSE(attempts.decide(result));
  CHECK(attempts.reason_to_end(result.outcome.verdict).empty());
  CHECK_FALSE(attempts.decide({}));
  CHECK(attempts.reason_to_end({}).empty());
}

TEST_CASE("a cause that --retry-on does not name ends the attempts, and is named") {
  work::Attempts attempts = attempts_of(3);
  attempts.rules = *job::parse_retry_rules({"oom"});
  CHECK_FALSE(attempts.decide(failed()));
  CHECK(attempts.reason_to_end(failed().outcome.verdict)
            .starts_with("not tried again: --retry-on does not name the cause, which is "));
}

TEST_CASE("without --retry-on, the end of the attempts names the option that would go on") {
  work::Attempts attempts = attempts_of(3);
  attempts.rules = *job::parse_retry_rules({});
  CHECK_FALSE(attempts.decide(failed()));
  CHECK(
      attempts.reason_to_end(failed().outcome.verdict) ==
      "not tried again: an unknown cause is no failure of the cluster (node-lost, evicted, nccl); "
      "--retry-on=any tries again after every failure");
}

}  // namespace attempts_test
}  // namespace trainctl::testing
