// Statuses as the real operator and kubelet wrote them, and what a user must be told of each.
#include "status/judgement.h"

#include <doctest/doctest.h>

#include "follow/report.h"
#include "status/judging.h"

namespace trainctl::job {
namespace judgement_test {

using namespace trainctl::testing;

TEST_CASE("a job the operator has not seen is Submitted, not unknown") {
  const JobState state = judge_job(pytorch_job(1));
  CHECK(state.phase == Phase::submitted);
  CHECK(state.message == "the operator has not reacted yet");
  CHECK(state.replicas.size() == 2);
  CHECK(state.replicas[0].run.state == RunState::missing);
}

TEST_CASE("an empty status because a pod cannot be created says why") {
  const auto job = pytorch_job(1);
  const std::vector<Json> events = {
      event("job-uid", "Warning", "FailedCreatePod",
            "Error creating: pods \"ddp-worker-0\" is forbidden: exceeded quota: q")};
  const JobState state = judge_job(job, {}, events);
  CHECK(state.phase == Phase::pending);
  REQUIRE(state.blocker);
  CHECK(state.blocker->reason == "FailedCreatePod");
  CHECK(state.blocker->hint.starts_with("the namespace's quota is used up"));
  CHECK(state.message == "FailedCreatePod: pods \"ddp-worker-0\" is forbidden: exceeded quota: q");
}

TEST_CASE("old pods of the same name are something to wait for") {
  const std::vector<Json> events = {
      event("job-uid", "Warning", "FailedCreatePod",
            "Error creating: object is being deleted: pods \"ddp-master-0\" already exists")};
  const JobState state = judge_job(pytorch_job(0), {}, events);
  REQUIRE(state.blocker);
  CHECK(state.blocker->reason == "WaitingForOldPods");
}

TEST_CASE("a namesake's pods, still terminating, are not the job's") {
  const JobState state =
      judge_job(pytorch_job(0, "[" + k_created + "]"), {pod("master", 0, running(), "older-uid")});
  CHECK(state.replicas[0].run.state == RunState::missing);
}

TEST_CASE("a crash loop is Restarting although the operator says Running") {
  const std::string status = R"({phase: Running, containerStatuses: [{name: pytorch,
      containerID: c4, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}},
      lastState: {terminated: {exitCode: 1, reason: Error, containerID: c4}}}]})";
  const JobState state = judge_job(pytorch_job(0, "[" + k_created + ", " + k_running + "]"),
                                   {pod("master", 0, status)});
  CHECK(state.phase == Phase::restarting);
  CHECK(state.message == "master-0: restarted 4 times, last exit code 1");
}

TEST_CASE("a failed job names the replica that failed first in time") {
  const auto job =
      pytorch_job(2, "[" + k_created + ", " +
                         condition("Failed", "True",
                                   "PyTorchJob ddp is failed because 1 Worker replica(s) failed.") +
                         "]");
  const JobState state = judge_job(
      job, {pod("master", 0, terminated(1, "Failed", "c1", "Error", "2026-01-02T03:00:12Z")),
            pod("worker", 0, running()),
            pod("worker", 1, terminated(7, "Failed", "c2", "Error", "2026-01-02T03:00:10Z"))});
  CHECK(state.phase == Phase::failed);
  REQUIRE(state.first_failed);
  CHECK(state.replicas[*state.first_failed].id.name() == "worker-1");
  CHECK(state.message == "worker-1 exited 7");
}

TEST_CASE(
    "a replica that the operator ends at its backoff limit keeps the exit code it failed with") {
  const Json job =
      pytorch_job(0, "[" + condition("Failed", "True", "has reached the backoff limit") + "]");
  Json ended = pod("master", 0, running("c2", 1, "{terminated: {exitCode: 9, reason: Error}}"));
  ended["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:00Z";
  CHECK(judge_job(job, {ended}).message == "master-0 exited 9 (backoff limit reached)");
  set_at(ended, "/status/containerStatuses/0/state",
         Json{{"terminated", {{"exitCode", 143}, {"reason", "Error"}}}});
  CHECK(judge_job(job, {ended}).message == "master-0 exited 9 (backoff limit reached)");
}

TEST_CASE("a job that was out of time is not blamed on a restart it had recovered from") {
  const Json job = pytorch_job(
      0, "[" + condition("Failed", "True", "it was active longer than specified deadline") + "]");
  Json ended = pod("master", 0, running("c2", 1, "{terminated: {exitCode: 9, reason: Error}}"));
  ended["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:00Z";
  const JobState state = judge_job(job, {ended});
  CHECK(state.reason == "DeadlineExceeded");
  CHECK(state.message == "it was active longer than specified deadline");
  CHECK_FALSE(state.first_failed);

  Json limited = job;
  limited["spec"]["runPolicy"]["activeDeadlineSeconds"] = 3600;
  CHECK(judge_job(limited, {ended}).message ==
        "it was active for longer than 60m, its --active-deadline");
}

TEST_CASE("a message of the cluster stays one line in what is told") {
  const Json job = pytorch_job(0, "[" + condition("Failed", "True", "one\\ntwo") + "]");
  CHECK(judge_job(job).message.find('\n') == std::string::npos);
}

TEST_CASE("a job of absurd size does not take the memory of everybody who lists jobs") {
  Json job = pytorch_job(2'000'000'000);
  CHECK(judge_job(job).replicas.size() == 1 + k_most_replicas);
  set_at(job, "/spec/pytorchReplicaSpecs/Worker/replicas", -5);
  CHECK(judge_job(job).replicas.size() == 1);
}

TEST_CASE("a failed replica whose pod is gone keeps the exit code the operator's event told") {
  const auto job = pytorch_job(1, "[" + condition("Failed", "True") + "]");
  const JobState state = judge_job(
      job, {},
      {event("job-uid", "Normal", "ExitedWithCode", "Pod: ml.ddp-worker-0 exited with code 42")});
  REQUIRE(state.first_failed);
  CHECK(state.replicas[1].last_exit.code == 42);
  CHECK(state.message == "worker-0 exited 42");
}

TEST_CASE("OOMKilled is said in words") {
  const auto job = pytorch_job(0, "[" + condition("Failed", "True") + "]");
  const JobState state =
      judge_job(job, {pod("master", 0, terminated(137, "Failed", "c1", "OOMKilled"))});
  CHECK(state.reason == "OOMKilled");
  CHECK(state.message == "master-0 was OOMKilled (out of memory)");
}

TEST_CASE("a replica that its node's shutdown ended is not said to have failed by its exit code") {
  const std::string status = R"({phase: Failed, reason: Terminated,
      message: Pod was terminated in response to imminent node shutdown.,
      containerStatuses: [{name: pytorch, restartCount: 0, state: {terminated: {exitCode: 0,
      reason: Completed, finishedAt: '2026-01-01T00:00:09Z'}}}]})";
  const JobState state = judge_job(pytorch_job(0, "[" + condition("Failed", "True") + "]"),
                                   {pod("master", 0, status)});
  CHECK(state.message ==
        "master-0 was terminated: Pod was terminated in response to imminent node shutdown.");
}

TEST_CASE("a job that succeeded without some replicas names the first, and counts the others") {
  const Json job = pytorch_job(2, "[" + condition("Succeeded", "True") + "]");
  const Json leader = pod("master", 0, terminated(0, "Succeeded"));
  const Json first = pod("worker", 0, terminated(4, "Failed"));
  const Json second = pod("worker", 1, terminated(5, "Failed"));
  Json cleaned_up = pod("worker", 1, terminated(143, "Failed"));
  cleaned_up["metadata"]["deletionTimestamp"] = "2026-01-02T03:00:35Z";
  cleaned_up["metadata"]["deletionGracePeriodSeconds"] = 30;
  CHECK(judge_job(job, {leader}).message.empty());
  CHECK(judge_job(job, {leader, first, cleaned_up}).message == "worker-0 exited 4");
  CHECK(judge_job(job, {leader, first, second}).message == "worker-0 exited 4 and 1 more failed");
}

TEST_CASE("of Succeeded and Failed the later counts") {
  const auto job =
      pytorch_job(0, "[" + condition("Succeeded", "True", "", "2026-01-02T03:05:00Z") + ", " +
                         condition("Failed", "True", "", "2026-01-02T03:04:00Z") + "]");
  CHECK(judge_job(job).phase == Phase::succeeded);
}

// The operator returns before it writes that the job was resumed.
TEST_CASE("a resumed job whose pods are refused is not called suspended") {
  Json job = pytorch_job(1, "[" + k_created + ", " + condition("Suspended", "True") + "]");
  job["spec"]["runPolicy"]["suspend"] = false;
  const auto refused = [](std::string_view time) {
    return event("job-uid", "Warning", "FailedCreatePod",
                 "Error creating: pods \"ddp-master-0\" is forbidden: exceeded quota: q", time);
  };
  for (const char* queue : {"", "team-a"}) {
    job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = queue;
    const JobState state = judge_job(job, {}, {refused("2026-01-02T03:09:00Z")});
    CHECK(state.phase == Phase::pending);
    CHECK(state.message ==
          "FailedCreatePod: pods \"ddp-master-0\" is forbidden: exceeded quota: q");
  }
  const JobState early = judge_job(job, {}, {refused("2026-01-02T02:00:00Z")});
  CHECK_FALSE(early.blocker);
}

TEST_CASE("a replica that cannot be created anew says why, whatever the conditions say") {
  const Json refused =
      event("job-uid", "Warning", "FailedCreatePod",
            "Error creating: pods \"ddp-worker-0\" is forbidden: exceeded quota: q",
            "2026-01-02T03:09:00Z");
  for (const std::string& condition_now : {k_running, condition("Restarting", "True")}) {
    const Json job = pytorch_job(1, "[" + k_created + ", " + condition_now + "]");
    const JobState state = judge_job(job, {pod("master", 0, running())}, {refused});
    CHECK(state.reason == "FailedCreatePod");
    CHECK(state.message.find("exceeded quota: q") != std::string::npos);
  }
}

TEST_CASE("a job without pods names the gang scheduler that withholds them") {
  Json job = pytorch_job(1, "[" + k_created + "]");
  job["spec"]["runPolicy"]["schedulingPolicy"] = {{"minAvailable", 2}, {"queue", "research"}};
  const JobState state = judge_job(job);
  CHECK(state.phase == Phase::pending);
  CHECK(state.message ==
        "GangScheduling: the operator creates no pods until all fit at once in queue research");
  REQUIRE(state.blocker);
  CHECK(state.blocker->hint == "kubectl describe podgroup ddp");
  CHECK_FALSE(judge_job(job, {pod("master", 0, waiting("ContainerCreating"))}).blocker);
}

TEST_CASE("a job that a finalizer keeps after its pods is not said to run") {
  Json job = pytorch_job(1, "[" + k_created + "," + k_running + "]");
  job["metadata"]["deletionTimestamp"] = "2026-01-02T03:10:00Z";
  job["metadata"]["finalizers"] = {"example.com/audit"};
  const JobState state = judge_job(job);
  CHECK(state.phase == Phase::pending);
  CHECK(state.message ==
        "BeingDeleted: it is being deleted, and kept by finalizers: example.com/audit");
}

TEST_CASE("a restarting job names the replica that failed, and how") {
  const Json job =
      pytorch_job(1, "[" + k_created + ", " +
                         condition("Restarting", "True",
                                   "job ddp is restarting because Worker replica(s) failed.") +
                         "]");
  const Json exit =
      event("job-uid", "Normal", "ExitedWithCode", "Pod: ml.ddp-worker-0 exited with code 138");
  const JobState state = judge_job(job, {pod("master", 0, running())}, {exit});
  CHECK(state.phase == Phase::restarting);
  CHECK(state.message ==
        "worker-0 exited 138 (SIGUSR1); the operator starts it again in a new pod");
}

TEST_CASE("a crash loop for want of memory says so") {
  const std::string status = R"({phase: Running, containerStatuses: [{name: pytorch,
      containerID: c4, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff}},
      lastState: {terminated: {exitCode: 137, reason: OOMKilled, containerID: c4}}}]})";
  const JobState state = judge_job(pytorch_job(0, "[" + k_created + ", " + k_running + "]"),
                                   {pod("master", 0, status)});
  CHECK(state.message ==
        "master-0: restarted 4 times, last exit code 137 (OOMKilled: out of memory)");
}

TEST_CASE("a job with a queue name that is suspended is Queued") {
  Json job = pytorch_job(0, "[" + k_created + ", " + condition("Suspended", "True") + "]");
  CHECK(judge_job(job).phase == Phase::suspended);
  job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "team-a";
  const JobState state = judge_job(job);
  CHECK(state.phase == Phase::queued);
  CHECK(state.message == "waits for admission to queue team-a");
}

TEST_CASE("after a resume the stale Suspended=False does not hide Running") {
  const auto job = pytorch_job(
      0, "[" + k_created + ", " + condition("Suspended", "False") + ", " + k_running + "]");
  CHECK(judge_job(job, {pod("master", 0, running())}).phase == Phase::running);
}

TEST_CASE("the report carries what scripts read") {
  const auto job = pytorch_job(0, "[" + condition("Failed", "True") + "]");
  const JobState state = judge_job(job, {pod("master", 0, terminated(3, "Failed"))});
  const Json report = job_report(*find_kind("pytorch"), job, state);
  CHECK(text_at(report, "/apiVersion") == "trainctl/v1");
  CHECK(text_at(report, "/phase") == "Failed");
  CHECK(int_at(report, "/replicas/0/exitCode") == 3);
  CHECK(text_at(report, "/object/metadata/name") == "ddp");
}

}  // namespace judgement_test
}  // namespace trainctl::job
