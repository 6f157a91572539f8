// A container that cannot be started has one cause, whatever order the cluster reports it in.
#include "job/status/start_failure.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "job/status/judging.h"

namespace trainctl::job {
namespace TEST_FILE {

using namespace trainctl::testing;

const std::string k_runc =
    R"(failed to create containerd task: OCI runtime create failed: exec: "trian": executable file not found in $PATH: unknown)";
const std::string k_cause = "trian: not found in PATH";

std::string ended(std::string_view reason, int code = 128) {
  return cat("{terminated: {exitCode: ", code, ", reason: ", reason,
             ", finishedAt: \"2026-01-02T03:00:09Z\", message: '", k_runc, "'}}");
}

std::string status(std::string_view phase, std::string_view state, std::string_view last) {
  return cat("{phase: ", phase,
             ", startTime: \"2026-01-02T03:00:01Z\", containerStatuses: [{name: ",
             "pytorch, restartCount: 2, state: ", state, ", lastState: ", last, "}]}");
}

Json deleting(Json pod) {
  pod["metadata"]["deletionTimestamp"] = "2026-01-02T03:00:20Z";
  return pod;
}

// What the API server may say of the pod of worker-0, by turns.
std::vector<std::vector<Json>> statuses_of_a_bad_program() {
  const std::string waits = cat("{waiting: {reason: RunContainerError, message: '", k_runc, "'}}");
  const std::string backs_off =
      "{waiting: {reason: CrashLoopBackOff, message: back-off 10s restarting}}";
  std::vector<std::vector<Json>> pods;
  for (const std::string& text :
       {status("Running", waits, "{}"), status("Running", waits, ended("StartError")),
        status("Running", backs_off, ended("StartError")),
        status("Running", backs_off, ended("ContainerCannotRun", 127)),
        status("Running", backs_off, "{}"), status("Running", ended("StartError"), "{}"),
        status("Failed", ended("StartError"), ended("StartError")),
        status("Failed", ended("ContainerCannotRun", 126), "{}")}) {
    pods.push_back({pod("worker", 0, text)});
    pods.push_back({deleting(pod("worker", 0, text))});
  }
  pods.emplace_back();  // the operator has deleted it
  return pods;
}

Json about_pod(Json event) {
  event["involvedObject"]["kind"] = "Pod";
  event["involvedObject"]["name"] = "ddp-worker-0";
  return event;
}

std::vector<Json> events_of_a_bad_program() {
  return {
      about_pod(event("pod-worker-0", "Normal", "Pulled", "pulled")),
      about_pod(event("pod-worker-0", "Warning", "Failed", "Error: " + k_runc)),
      about_pod(event("pod-worker-0", "Warning", "BackOff", "Back-off restarting failed container",
                      "2026-01-02T03:00:08Z")),
      event("job-uid", "Normal", "ExitedWithCode", "Pod: ml.ddp-worker-0 exited with code 128")};
}

TEST_CASE("a program that cannot be executed is the cause, in every status of pod and job") {
  const std::vector<std::string> conditions = {
      condition("Created", "True"),
      condition("Running", "True"),
      condition("Restarting", "True"),
      condition("Failed", "True",
                "Job ddp has failed because it has reached the specified backoff "
                "limit"),
      condition("Failed", "True", "it was active longer than specified deadline"),
      condition("Failed", "True", "PyTorchJob ddp is failed because 1 Worker replica(s) failed.")};
  for (const std::string& of_job : conditions) {
    for (const std::vector<Json>& of_pod : statuses_of_a_bad_program()) {
      std::vector<Json> pods = of_pod;
      pods.push_back(pod("master", 0, running()));
      CAPTURE(of_job);
      CAPTURE(dump(Json(of_pod)));
      const JobState state =
          judge_job(pytorch_job(1, "[" + of_job + "]"), pods, events_of_a_bad_program());
      CHECK(state.reason == "StartError");
      CHECK(state.message == "worker-0: " + k_cause);
      CHECK(state.phase != Phase::restarting);
      CHECK(state.phase != Phase::running);
      REQUIRE(state.replicas.size() == 2);
      CHECK(state.replicas[1].never_started());
      if (state.phase == Phase::failed) {
        CHECK(state.first_failed == 1);
      } else {
        REQUIRE(state.blocker);
        CHECK(state.blocker->pod == "ddp-worker-0");
      }
    }
  }
}

TEST_CASE("an image that cannot be pulled has one sentence, while pods live and after") {
  const std::string cause = R"(failed to resolve reference "nowhere/i:1": no such host)";
  const std::string failed = condition("Failed", "True", "active longer than specified deadline");
  std::vector<Json> events = {about_pod(event("pod-worker-0", "Warning", "Failed",
                                              "Failed to pull image \"nowhere/i:1\": " + cause)),
                              about_pod(event("pod-worker-0", "Warning", "Failed",
                                              "Error: ErrImagePull", "2026-01-02T03:00:06Z")),
                              about_pod(event("pod-worker-0", "Warning", "Failed",
                                              "Error: ImagePullBackOff", "2026-01-02T03:00:07Z"))};
  const auto waits = [](std::string_view reason, const std::string& message) {
    return std::vector<Json>{pod("worker", 0,
                                 cat("{phase: Pending, containerStatuses: [{name: pytorch, ",
                                     "restartCount: 0, state: {waiting: {reason: ", reason,
                                     ", message: '", message, "'}}}]}"))};
  };
  for (const std::string& of_job : {k_created, failed}) {
    for (std::vector<Json> pods :
         {waits("ErrImagePull", cause),
          waits("ImagePullBackOff",
                "Back-off pulling image \"nowhere/i:1\": ErrImagePull: " + cause),
          std::vector<Json>{}}) {
      if (pods.empty() && of_job == k_created) continue;  // the operator makes it anew
      CAPTURE(of_job);
      CAPTURE(dump(Json(pods)));
      const JobState state = judge_job(pytorch_job(1, "[" + of_job + "]"), pods, events);

      CHECK(state.message == "worker-0: ImagePullBackOff: " + cause);
    }
  }
}

TEST_CASE("a job that ran is not said to have failed at its start") {
  const std::string failed =
      "[" + condition("Running", "False") + ", " +
      condition("Failed", "True", "Job ddp has failed because it has reached the backoff limit") +
      "]";
  const Json job = pytorch_job(1, failed);
  const Json exit =
      event("job-uid", "Normal", "ExitedWithCode", "Pod: ml.ddp-worker-0 exited with code 1");
  SUBCASE("its image came at the second attempt") {
    const JobState state = judge_job(
        job, {},
        {about_pod(event("gone", "Warning", "Failed", "Failed to pull image \"i\": timeout")),
         exit});
    CHECK(state.message == "worker-0 exited 1 (backoff limit reached)");
  }
  SUBCASE("a program of its own exits with 128, as git does") {
    const JobState state = judge_job(job, {pod("worker", 0, terminated(128, "Failed"))}, {});
    CHECK_FALSE(state.replicas[1].never_started());
    CHECK(state.message == "worker-0 exited 128 (backoff limit reached)");
  }
}

TEST_CASE("what an event says of a start is the status's own reason") {
  const auto read = [](std::string_view reason, std::string_view message) {
    const Json object = event("p", "Warning", reason, message);
    const auto seen = last_start_failure(std::vector<const Json*>{&object});
    return seen ? seen->words() : "nothing";
  };
  CHECK(read("Failed", "Error: configmap \"c\" not found") ==
        "CreateContainerConfigError: configmap \"c\" not found");
  CHECK(read("Failed", "Error: couldn\'\'t find key k in Secret ml/s") ==
        "CreateContainerConfigError: couldn't find key k in Secret ml/s");
  CHECK(read("Failed", "Error: failed to generate container spec") ==
        "CreateContainerError: failed to generate container spec");
  CHECK(read("FailedMount", "secret \"s\" not found") == "FailedMount: secret \"s\" not found");
  CHECK(read("InspectFailed", "Failed to apply default image tag") ==
        "InvalidImageName: Failed to apply default image tag");
  CHECK(read("BackOff", "Back-off restarting failed container") == "nothing");
  CHECK(read("Failed", "Error: ErrImageNeverPull") == "ErrImageNeverPull");
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
