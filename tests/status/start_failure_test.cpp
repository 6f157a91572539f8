// A container that cannot be started has one cause, whatever order the cluster reports it in.
#include "status/start_failure.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "status/judging.h"

namespace trainctl::job {

namespace start_failure_test {

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

// The API server's possible reports of the pod of worker-0, by turns.
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

TEST_CASE("an event's reason of a start is the status's own") {
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

}  // namespace start_failure_test

// A user who mistyped a program's name would have to read how a container runtime is built.
namespace start_failure_test {

constexpr std::string_view k_callers =
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc "
    "create failed: unable to start container process: ";

TEST_CASE("the cause of a start that failed is told without the runtime's callers") {
  const struct {
    std::string_view runtime, told;
  } rows[] = {
      {R"(exec: "pyhton3": executable file not found in $PATH)", "pyhton3: not found in PATH"},
      {"executable file `pyhton3` not found in $PATH: No such file or directory",
       "pyhton3: not found in PATH"},
      {R"(exec: "/no/such": stat /no/such: no such file or directory)", "/no/such: no such file"},
      {R"(exec: "/etc/passwd": permission denied)",
       "/etc/passwd: permission denied: is it executable?"},
      {R"(exec: "/tmp": is a directory)", "/tmp: is a directory, not a program"},
      {R"(exec: "/etc/passwd/x": stat /etc/passwd/x: not a directory)",
       "/etc/passwd/x: part of its path is a file"},
      {"error during container init: exec /work/run.sh: no such file or directory",
       "/work/run.sh: the interpreter named in its first line is missing"},
      {"error during container init: exec /work/run: exec format error",
       "/work/run: is neither a program for this machine nor a script that begins with #!"},
      {R"(error during container init: chdir to cwd ("/nowhere") set in config.json failed: no such file or directory)",
       "working directory /nowhere: no such file or directory"},
      {R"(error during container init: chdir to cwd ("/root/x") set in config.json failed: permission denied)",
       "working directory /root/x: permission denied"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.runtime);
    CHECK(program_fault(cat(k_callers, row.runtime, ": unknown")) == row.told);
    CHECK(program_fault(std::string(row.runtime)) == row.told);
  }
}

TEST_CASE("an unknown cause keeps its words") {
  CHECK(program_fault(cat(k_callers, R"(exec: "trian": out of luck: unknown)")) ==
        R"(exec: "trian": out of luck)");
  CHECK(program_fault("error setting rlimit: operation not permitted") ==
        "error setting rlimit: operation not permitted");
  CHECK(program_fault("") == "the program could not be started");
}

}  // namespace start_failure_test

}  // namespace trainctl::job
