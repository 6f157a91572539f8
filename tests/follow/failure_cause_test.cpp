// A job that would fail again and again must not be retried, and one that lost its node must be.
#include "follow/failure_cause.h"

#include <doctest/doctest.h>

#include "support/objects.h"

namespace trainctl::testing {
namespace failure_cause_test {

job::Outcome failed_by(std::string reason, std::optional<int> exit_code,
                       std::vector<std::string> last_lines = {}) {
  job::Outcome outcome{Error{Code::job_failed, "job ddp failed"}, {}, {}, {}, {}};
  job::ReplicaState culprit;
  culprit.id = {job::find_role(*job::find_kind("pytorch"), "Worker"), 1};
  culprit.pod.node = "gpu-7";
  culprit.last_exit.out_of_memory = reason == "OOMKilled";
  culprit.run.reason = std::move(reason);
  culprit.last_exit.code = exit_code;
  outcome.culprit = std::move(culprit);
  outcome.last_lines = std::move(last_lines);
  return outcome;
}

TEST_CASE("each cause is known by what the cluster or the program wrote") {
  struct Case {
    std::string reason, line;
    std::set<job::Cause> causes;
  };
  using enum job::Cause;
  const Case cases[] = {
      {"Error", "ValueError: no such file", {}},
      {"OOMKilled", "", {oom}},
      {"Error",
       "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has",
       {cuda_oom}},
      {"Error", "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying", {cuda_oom}},
      {"Evicted", "", {evicted}},
      {"PreemptionByScheduler", "", {evicted}},
      {"NodeLost", "", {node_lost}},
      {"DeletionByTaintManager", "", {node_lost}},
      {"OutOfnvidia.com/gpu", "", {node_lost}},
      {"Terminated", "", {node_lost}},
      {"Error", "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp", {nccl}},
      {"Error", "training without nccl", {}},
      // A node that goes takes the connections of the others with it.
      {"NodeLost", "ncclRemoteError: connection closed", {node_lost, nccl}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.reason);
    CAPTURE(one.line);
    const job::Failure failure = job::failure_of(failed_by(one.reason, 1, {"epoch 1", one.line}));
    CHECK(failure.causes == one.causes);
    CHECK(failure.replica == "worker-1");
    CHECK(failure.node == "gpu-7");
  }
}

TEST_CASE("a verdict without a culprit has no cause, and any covers it") {
  const job::Outcome outcome{Error{Code::job_failed, "job ddp failed"}, {}, {}, {}, {}};
  const job::Failure failure = job::failure_of(outcome);
  CHECK(failure.causes.empty());
  CHECK(job::parse_retry_rules({"any"})->cover(failure));
  CHECK_FALSE(job::parse_retry_rules({})->cover(failure));
  CHECK_FALSE(job::parse_retry_rules({"oom,exit=1"})->cover(failure));
}

TEST_CASE("by default only failures of the cluster are covered") {
  struct Case {
    std::string reason, line;
    bool is_covered;
  };
  const Case cases[] = {
      {"NodeLost", "", true},
      {"Evicted", "", true},
      {"PreemptionByScheduler", "", true},
      {"Error", "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp", true},
      {"Error", "ValueError: no such file", false},
      {"OOMKilled", "", false},
      {"OOMKilled", "ncclRemoteError: connection closed", false},
      {"Error", "torch.OutOfMemoryError: CUDA out of memory.", false},
      {"Error",
       "[W ProcessGroupNCCL.cpp:1496] Warning: WARNING: process group has NOT been destroyed "
       "before "
       "we destruct ProcessGroupNCCL.",
       false},
  };
  const auto rules = job::parse_retry_rules({});
  REQUIRE(rules);
  CHECK(rules->chosen == job::RetryRules::Chosen::by_default);
  for (const Case& one : cases) {
    CAPTURE(one.reason);
    CAPTURE(one.line);
    CHECK(rules->cover(job::failure_of(failed_by(one.reason, 1, {one.line}))) == one.is_covered);
  }
  CHECK(job::infrastructure_causes() == "node-lost, evicted, nccl");
}

TEST_CASE("only what --retry-on names is covered") {
  const job::Failure killed = job::failure_of(failed_by("OOMKilled", 137));
  const job::Failure asked = job::failure_of(failed_by("Error", 75));
  CHECK(job::parse_retry_rules({"any"})->cover(asked));
  CHECK(job::parse_retry_rules({"oom"})->cover(killed));
  CHECK_FALSE(job::parse_retry_rules({"oom"})->cover(asked));
  CHECK(job::parse_retry_rules({"oom", "node-lost,exit=75"})->cover(asked));
  CHECK_FALSE(job::parse_retry_rules({"exit=75"})->cover(killed));
}

TEST_CASE("a failure whose last lines match a pattern is covered, and the line is named") {
  const job::Failure failure =
      job::failure_of(failed_by("Error", 1, {"epoch 1", "\x1b[31mXid 79, GPU lost\x1b[0m", "end"}));
  const std::pair<std::vector<std::string>, bool> k_rows[] = {
      {{"log=Xid (79|94), GPU"}, true},
      {{"oom,exit=3,log=^Xid"}, true},
      {{"log=xid"}, false},
      {{"oom", "log=lost$"}, true},
      {{"exit=1"}, true},
      {{"log=epoch 2,exit=1"}, false},
      {{"oom, exit=1"}, true},
      {{" exit=1 ,oom"}, true},
      {{"oom, log=Xid"}, true},
  };
  for (const auto& [texts, is_covered] : k_rows) {
    CAPTURE(texts.back());
    const auto rules = job::parse_retry_rules(texts);
    REQUIRE(rules);
    CHECK(rules->cover(failure) == is_covered);
  }
  CHECK(job::parse_retry_rules({"log=Xid"})->line_in(failure) == failure.last_lines[1]);
  CHECK(job::parse_retry_rules({"exit=1"})->line_in(failure).empty());
}

TEST_CASE("a cause that does not exist is refused with those that do") {
  for (const std::string text : {"", "OOM", "oom,", "exit", "exit=", "exit=0", "exit=256", "exit=x",
                                 "log=", "log=(", "oom,log=a(,b"}) {
    CAPTURE(text);
    const auto rules = job::parse_retry_rules({text});
    REQUIRE_FALSE(rules);
    CHECK(rules.error().code == Code::usage);
    CHECK_FALSE(rules.error().hint.empty());
  }
}

TEST_CASE("a file that was given instead of a cause does not fill the screen") {
  const std::string text(100'000, 'x');
  for (const std::string& given : {text, cat("exit=", text), cat("log=(", text)}) {
    const auto rules = job::parse_retry_rules({given});
    REQUIRE_FALSE(rules);
    CHECK(rules.error().message.size() < 500);
  }
}

TEST_CASE("the error that ran out of a GPU's memory is quoted, not the source that raised it") {
  const std::string error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB";
  CHECK(job::cuda_oom_line({"    raise RuntimeError('CUDA out of memory')", error, ""}) == error);
  CHECK(job::cuda_oom_line({"loss 1"}).empty());
}

}  // namespace failure_cause_test
}  // namespace trainctl::testing
