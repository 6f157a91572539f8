// What becomes of a job that goes on when nobody waits for it any more.
#include <doctest/doctest.h>

#include "job/follow/verdict_policy.h"
#include "job/objects.h"

namespace trainctl::job {
namespace TEST_FILE {

using namespace trainctl::testing;

constexpr LeaveRules k_leave{}, k_delete{true, true};
constexpr std::string_view k_cancel = "--on-interrupt=cancel", k_give_up = "--on-give-up=delete";

std::string_view flag(Code code, const LeaveRules& rules, Phase phase = Phase::running,
                      const std::string& replica = "") {
  LogSelection selection;
  selection.replica = replica;
  return deleting_flag(rules, Error{code, ""}, EndedBy::judgement, phase, selection);
}

TEST_CASE("a job is deleted by the flag that says so, and left alone otherwise") {
  for (const Code code : {Code::interrupted, Code::terminated, Code::broken_pipe}) {
    CHECK(flag(code, k_delete) == k_cancel);
    CHECK(flag(code, k_leave).empty());
    CHECK(flag(code, {.delete_on_give_up = true}).empty());
  }
  for (const Code code : {Code::timeout, Code::not_started, Code::job_failed, Code::unreachable}) {
    CHECK(flag(code, k_delete) == k_give_up);
    CHECK(flag(code, k_leave).empty());
    CHECK(flag(code, {.delete_on_interrupt = true}).empty());
  }
  for (const Code code : {Code::usage, Code::not_found, Code::removed}) {
    CHECK(flag(code, k_delete).empty());
  }
}

TEST_CASE("lines that cannot be written any more do not give up the job, and interrupt following") {
  for (const Code code : {Code::error, Code::broken_pipe}) {
    const Error lost{code, "cannot write to stdout: No space left on device"};
    const auto flag = [&lost](const LeaveRules& rules) {
      return deleting_flag(rules, lost, EndedBy::lost_output, Phase::running, {});
    };
    CHECK(flag({.delete_on_give_up = true}).empty());
    CHECK(flag({.delete_on_interrupt = true}) == k_cancel);
    CHECK_FALSE(is_given_up(lost, EndedBy::lost_output, Phase::running, {}));
  }
}

TEST_CASE("a verdict is no giving up: the job's own, and that of the replica asked for") {
  CHECK(flag(Code::job_failed, k_delete, Phase::failed).empty());
  CHECK(flag(Code::interrupted, k_delete, Phase::succeeded).empty());
  CHECK(flag(Code::job_failed, k_delete, Phase::running, "worker-0").empty());
  CHECK(flag(Code::timeout, k_delete, Phase::running, "worker-0") == k_give_up);
  CHECK(deleting_flag(k_delete, {}, EndedBy::judgement, Phase::running, {}).empty());
}

TEST_CASE("pods that take long to stop are given their own grace period") {
  using std::chrono::seconds;
  const Kind& pytorch = *find_kind("pytorch");
  Json job = pytorch_job(1);
  CHECK(longest_stop(pytorch, job) == seconds(45));
  Json& specs = job["spec"]["pytorchReplicaSpecs"];
  specs["Worker"]["template"]["spec"]["terminationGracePeriodSeconds"] = 600;
  specs["Master"]["template"]["spec"]["terminationGracePeriodSeconds"] = 5;
  CHECK(longest_stop(pytorch, job) == seconds(615));
  job["spec"]["pytorchReplicaSpecs"].erase("Worker");
  CHECK(longest_stop(pytorch, job) == seconds(20));
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
