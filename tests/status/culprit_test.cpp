// Whom a failed job blames does not change with the moment of the look, nor with whoever looks.
#include <doctest/doctest.h>

#include "follow/verdict_words.h"
#include "status/judgement.h"
#include "status/judging.h"

namespace trainctl::job {
namespace culprit_test {

using namespace trainctl::testing;

Json crashing(std::string_view role, int index, int restarts, std::string_view finished) {
  return pod(
      role, index,
      cat("{phase: Running, containerStatuses: [{name: pytorch, restartCount: ", restarts,
          ", state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: ",
          "1, reason: Error, finishedAt: \"", finished, "\", message: 'no data'}}}]}"));
}

Json exit_event(std::string_view pod, std::string_view first, std::string_view last) {
  Json exit = event("job-uid", "Normal", "ExitedWithCode",
                    cat("Pod: ml.ddp-", pod, " exited with code 1"), last);
  exit["firstTimestamp"] = std::string(first);
  return exit;
}

Json failed_job() {
  return pytorch_job(
      2, "[" + k_created + ", " +
             condition("Failed", "True", "it has reached the specified backoff limit") + "]");
}

// worker-1 crashed first, the master for want of it; both were started again and again.
const std::vector<Json> k_exits = {
    exit_event("master-0", "2026-01-02T03:00:12Z", "2026-01-02T03:00:50Z"),
    exit_event("worker-1", "2026-01-02T03:00:10Z", "2026-01-02T03:00:58Z")};

TEST_CASE("the culprit is the same when its container crashes on, and when all pods are gone") {
  const std::vector<std::vector<Json>> looks = {{crashing("master", 0, 1, "2026-01-02T03:00:11Z"),
                                                 crashing("worker", 1, 1, "2026-01-02T03:00:09Z")},
                                                {crashing("master", 0, 2, "2026-01-02T03:00:50Z"),
                                                 crashing("worker", 1, 3, "2026-01-02T03:05:00Z")},
                                                {crashing("master", 0, 2, "2026-01-02T03:00:50Z")},
                                                {}};
  for (const std::vector<Json>& pods : looks) {
    CAPTURE(dump(Json(pods)));
    const JobState state = judge_job(failed_job(), pods, k_exits);
    REQUIRE(state.first_failed);
    CHECK(state.replicas[*state.first_failed].id.name() == "worker-1");
    CHECK(state.message == "worker-1 exited 1 (backoff limit reached)");
  }
}

TEST_CASE("a replica stopped in the second in which another failed is not to blame") {
  const auto exited = [](int code, const char* reason) {
    return terminated(code, "Failed", "c2", reason, "2026-01-02T03:00:09Z");
  };
  const auto culprit_of = [](const Json& master, const Json& worker) {
    const JobState state = judge_job(failed_job(), {master, worker});
    REQUIRE(state.first_failed);
    return state.replicas[*state.first_failed].id.name();
  };
  CHECK(culprit_of(pod("master", 0, exited(143, "Error")), pod("worker", 1, exited(4, "Error"))) ==
        "worker-1");
  CHECK(culprit_of(pod("master", 0, exited(137, "Error")), pod("worker", 1, exited(4, "Error"))) ==
        "worker-1");
  CHECK(culprit_of(pod("master", 0, exited(137, "OOMKilled")),
                   pod("worker", 1, exited(4, "Error"))) == "master-0");
  CHECK(culprit_of(pod("master", 0, exited(143, "Error")),
                   pod("worker", 1, exited(143, "Error"))) == "master-0");
  // Memory ran out in the master, and its peer noticed first.
  CHECK(culprit_of(
            pod("master", 0, exited(137, "OOMKilled")),
            pod("worker", 1, terminated(1, "Failed", "c2", "Error", "2026-01-02T03:00:08Z"))) ==
        "master-0");
  CHECK(culprit_of(pod("master", 0, exited(1, "Error")),
                   pod("worker", 1, exited(137, "OOMKilled"))) == "worker-1");
  // By the operator's events alone, when clean-up has deleted the pods.
  const std::vector<Json> exits = {
      exit_event("master-0", "2026-01-02T03:00:09Z", "2026-01-02T03:00:09Z"),
      exit_event("worker-1", "2026-01-02T03:00:09Z", "2026-01-02T03:00:09Z")};
  std::vector<Json> stopped = exits;
  stopped[0]["message"] = "Pod: ml.ddp-master-0 exited with code 143";
  CHECK(judge_job(failed_job(), {}, stopped).first_failed == 2);
}

TEST_CASE("of those that exit together the one is to blame that the operator saw") {
  const Json job = pytorch_job(
      1, "[" + k_created + ", " +
             condition("Failed", "True", "PyTorchJob ddp is failed because 1 Worker has failed.") +
             "]");
  const std::string exited = terminated(3, "Failed", "c2", "Error", "2026-01-02T03:00:09Z");
  const Json worker = pod("worker", 0, exited);
  // Looked at a moment later, and by then in the next second.
  const std::vector<Json> seen = {
      exit_event("worker-0", "2026-01-02T03:00:10Z", "2026-01-02T03:00:10Z")};
  // The master's pod is there, or was removed by clean-up since.
  for (const std::vector<Json>& pods :
       {std::vector{pod("master", 0, exited), worker}, std::vector{worker}, std::vector<Json>{}}) {
    const JobState state = judge_job(job, pods, seen);
    REQUIRE(state.first_failed);
    CHECK(state.replicas[*state.first_failed].id.name() == "worker-0");
  }
}

TEST_CASE("a user without rights to events has one culprit as long as the pods are there") {
  for (const auto* later : {"2026-01-02T03:00:58Z", "2026-01-02T03:09:00Z"}) {
    const JobState state =
        judge_job(failed_job(), {crashing("master", 0, 3, later),
                                 pod("worker", 1, terminated(7, "Failed", "c2", "Error", later))});
    REQUIRE(state.first_failed);
    CHECK(*state.first_failed == 0);
  }
}

TEST_CASE("of several that failed the job's condition says whose role is to blame") {
  const Json job =
      pytorch_job(1, "[" +
                         condition("Failed", "True",
                                   "PyTorchJob ddp is failed because 1 Worker replica(s) failed.") +
                         "]");
  const JobState state = judge_job(job, {pod("master", 0, terminated(1, "Failed")),
                                         pod("worker", 0, terminated(7, "Failed", "c2"))});
  CHECK(state.message == "worker-0 exited 7");
}

Json ended(std::string_view role, int index, int code, int second) {
  return pod(role, index,
             terminated(code, "Failed", cat("c", role, index), "Error",
                        cat("2026-01-02T03:00:0", second, "Z")));
}

TEST_CASE("the container that ended first is to blame, whichever the operator saw first") {
  struct Case {
    std::vector<Json> pods;
    std::string culprit, followed;
  };
  const Case cases[] = {
      {{ended("master", 0, 1, 7), ended("worker", 0, 134, 8), ended("worker", 1, 3, 5)},
       "worker-1",
       "master-0 exited 1, worker-0 exited 134 (SIGABRT) within 3s after worker-1, as replicas do "
       "when a peer is gone"},
      // Within a second the rank decides.
      {{ended("master", 0, 1, 5), ended("worker", 0, 1, 5)}, "master-0", ""},
      {{ended("worker", 0, 1, 6), ended("worker", 1, 1, 5)},
       "worker-1",
       "worker-0 exited 1 within 1s after worker-1, as replicas do when a peer is gone"},
      // An exit code of its own is another failure.
      {{ended("master", 0, 1, 5), ended("worker", 0, 7, 6)}, "master-0", ""},
  };
  for (const auto* message :
       {"PyTorchJob ddp is failed because 1 Master replica(s) failed.", "the job has failed"}) {
    CAPTURE(message);
    const Json job =
        pytorch_job(2, "[" + k_created + ", " + condition("Failed", "True", message) + "]");
    for (const Case& one : cases) {
      // The operator sees all that have failed at one look.
      std::vector<Json> events;
      for (const Json& pod : one.pods) {
        const std::string name = text_at(pod, "/metadata/name").substr(4);
        events.push_back(exit_event(name, "2026-01-02T03:00:09Z", "2026-01-02T03:00:09Z"));
      }
      const JobState state = judge_job(job, one.pods, events);
      REQUIRE(state.first_failed);
      CHECK(state.replicas[*state.first_failed].id.name() == one.culprit);
      CHECK(failed_after_words(state) == one.followed);
    }
  }
}

// The operator's events about worker-0, until `last`: how often it told an exit, and a restart.
std::vector<Json> told_failures(int exits, int restarts, std::string_view last) {
  std::vector<Json> events = {exit_event("worker-0", "2026-01-02T03:00:10Z", last),
                              event("job-uid", "Warning", "PyTorchJobRestarting",
                                    "job ddp is restarting because Worker replica(s) failed.")};
  events[0]["count"] = exits;
  events[1]["count"] = restarts;
  return events;
}

TEST_CASE("pods that failed are counted by their exits, however often a restart was told") {
  const std::vector<Json> events = told_failures(3, 9, "2026-01-02T03:00:58Z");
  const JobState state = judge_job(pytorch_job(1, "[" + k_running + "]"), {}, events);
  CHECK(state.replicas.back().failures.pods == 3);
}

TEST_CASE("a pod that the operator made after failed ones counts them as restarts") {
  const std::vector<Json> events = told_failures(4, 2, "2026-01-02T05:00:58Z");
  const Json job = pytorch_job(1, "[" + k_running + "]");
  const JobState state = judge_job(job, {pod("worker", 0, running())}, events);
  CHECK(state.replicas.back().restarts() == 2);
  CHECK(state.replicas.back().failures.pods == 0);
  CHECK_FALSE(first_placed(state));
  const Json failed = pod("worker", 0, terminated(137, "Failed"));
  CHECK(judge_job(job, {failed}, events).replicas.back().restarts() == 2);
}

TEST_CASE("of many peers that failed after the culprit four are named") {
  const Json job = pytorch_job(6, "[" + k_created + ", " + condition("Failed", "True") + "]");
  std::vector<Json> pods = {ended("worker", 5, 1, 1)};
  for (int i = 0; i < 5; ++i) pods.push_back(ended("worker", i, 1, 2));
  const std::string words = failed_after_words(judge_job(job, pods));
  CHECK(words.find("worker-3 exited 1, 1 more failed within 1s after worker-5") !=
        std::string::npos);
  CHECK(failed_after_words(judge_job(pytorch_job(6, "[" + k_created + "]"), pods)).empty());
}

TEST_CASE("restarts, exit code and last words of a pod that was seen are not lost with it") {
  const Json job = failed_job();
  const std::vector<Json> gone = {crashing("worker", 1, 3, "2026-01-02T03:00:58Z")};
  const JobState state = judge(*find_kind("pytorch"), job, {}, {}, gone);
  const ReplicaState& worker = state.replicas[2];
  CHECK(worker.run.state == RunState::missing);
  CHECK(worker.run.restarts == 3);
  CHECK(worker.last_exit.code == 1);
  CHECK(worker.last_exit.words == "no data");
  CHECK(state.first_failed == 2);
}

TEST_CASE("restarts that nothing reports are not called none") {
  CHECK_FALSE(judge_job(failed_job(), {}, k_exits).replicas[2].run.restarts);
  CHECK(judge_job(pytorch_job(1), {}).replicas[1].run.restarts == 0);
}

TEST_CASE("an MPI launcher, whose pod's name has no number, is known by the operator's event") {
  const Json job = yaml(cat(R"(
kind: MPIJob
metadata: {name: pi, namespace: ml, uid: job-uid}
spec: {mpiReplicaSpecs: {Launcher: {replicas: 1}, Worker: {replicas: 1}}}
status: {conditions: [)",
                            condition("Failed", "True"), "]}\n"));
  const std::vector<Json> events = {
      event("job-uid", "Normal", "ExitedWithCode", "Pod: ml.pi-launcher exited with code 3")};
  const JobState state = judge(*find_kind("mpi"), job, {}, events);
  REQUIRE(state.first_failed);
  CHECK(state.replicas[*state.first_failed].id.name() == "launcher-0");
  CHECK(state.message == "launcher-0 exited 3");
}

}  // namespace culprit_test
}  // namespace trainctl::job
