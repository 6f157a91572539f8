// Pod statuses as kubelet and scheduler write them, and what a user must learn of each.
#include "status/pod_state.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "status/hints.h"
#include "status/judging.h"

namespace trainctl::job {
namespace pod_state_test {

using namespace trainctl::testing;

TEST_CASE("a wrong image is a blocker that names pod and reason, while the master runs") {
  const auto job = pytorch_job(1, "[" + k_created + ", " + k_running + "]");
  const JobState state =
      judge_job(job, {pod("master", 0, running()),
                      pod("worker", 0, waiting("ImagePullBackOff", "Back-off pulling image x"))});
  REQUIRE(state.blocker);
  CHECK(state.blocker->replica == "worker-0");
  CHECK(state.blocker->pod == "ddp-worker-0");
  CHECK(state.message == "worker-0 has not started: ImagePullBackOff: Back-off pulling image x");
  CHECK_FALSE(state.blocker->hint.empty());
}

TEST_CASE("an unschedulable pod says what the scheduler said") {
  Json unplaced = pod("master", 0, R"({phase: Pending, conditions: [{type: PodScheduled,
      status: "False", reason: Unschedulable, message: "0/1 nodes: Insufficient nvidia.com/gpu",
      lastTransitionTime: "2026-01-02T03:00:01Z"}]})");
  unplaced["spec"].erase("nodeName");
  const JobState state = judge_job(pytorch_job(0, "[" + k_created + "]"), {unplaced});
  CHECK(state.phase == Phase::pending);
  REQUIRE(state.blocker);
  CHECK(state.blocker->hint.find("--gpu") != std::string::npos);
}

TEST_CASE("a volume that cannot be mounted shows only in an event") {
  const JobState state = judge_job(
      pytorch_job(0, "[" + k_created + "]"), {pod("master", 0, waiting("ContainerCreating"))},
      {event("pod-master-0", "Warning", "FailedMount",
             "MountVolume.SetUp failed for volume \"v\" : secret \"nosec\" not found")});
  CHECK(state.phase == Phase::starting);
  REQUIRE(state.blocker);
  CHECK(state.blocker->reason == "FailedMount");
}

TEST_CASE("a mount that failed at first is no blocker while a large image is pulled") {
  const std::vector<Json> events = {
      event("pod-master-0", "Warning", "FailedMount", "cache not ready")};
  Json pulling = pod("master", 0, waiting("ContainerCreating"));
  const Json job = pytorch_job(0, "[" + k_created + "]");
  CHECK(judge_job(job, {pulling}, events).blocker);
  Json initialized = pod("master", 0, waiting("PodInitializing"));
  set_at(initialized, "/status/initContainerStatuses",
         yaml("[{name: first, state: {terminated: {exitCode: 0}}}]"));
  CHECK_FALSE(judge_job(job, {initialized}, events).blocker);
  set_at(pulling, "/status/conditions",
         yaml("[{type: PodReadyToStartContainers, status: \"True\"}]"));
  CHECK_FALSE(judge_job(job, {pulling}, events).blocker);
}

TEST_CASE("a volume that cannot be mounted is reported of a worker that has init containers, too") {
  const Json worker = pod("worker", 0, R"({phase: Pending, initContainerStatuses: [{name:
      init-pytorch, state: {waiting: {reason: PodInitializing}}}],
      containerStatuses: [{name: pytorch, state: {waiting: {reason: PodInitializing}}}]})");
  const JobState state = judge_job(
      pytorch_job(1, "[" + k_created + "]"), {pod("master", 0, running()), worker},
      {event("pod-worker-0", "Warning", "FailedMount", "persistentvolumeclaim \"x\" not found")});
  REQUIRE(state.blocker);
  CHECK(state.blocker->replica == "worker-0");
  CHECK(state.blocker->reason == "FailedMount");
}

Json with_native_sidecar(std::string_view sidecar_state, const std::string& status) {
  Json sidecar_pod = pod("master", 0, status);
  set_at(sidecar_pod, "/spec/initContainers", yaml("[{name: proxy, restartPolicy: Always}]"));
  set_at(sidecar_pod, "/status/initContainerStatuses",
         yaml(cat("[{name: proxy, state: ", sidecar_state, "}]")));
  return sidecar_pod;
}

TEST_CASE("a native sidecar that runs hides neither the training nor what keeps it from starting") {
  const Json job = pytorch_job(0, "[" + k_created + "]");
  const std::string_view runs = "{running: {}}";
  CHECK(judge_job(job, {with_native_sidecar(runs, running())}).replicas[0].run.state ==
        RunState::running);
  const JobState stuck =
      judge_job(job, {with_native_sidecar(runs, waiting("ImagePullBackOff", "no such image"))});
  REQUIRE(stuck.blocker);
  CHECK(stuck.blocker->reason == "ImagePullBackOff");
  const JobState starting = judge_job(job, {with_native_sidecar(runs, waiting("PodInitializing"))});
  CHECK(starting.replicas[0].run.reason == "PodInitializing");
}

TEST_CASE("how a native sidecar was ended is not how the training did") {
  const std::string_view ended = "{terminated: {exitCode: 143, reason: Error}}";
  const JobState good = judge_job(pytorch_job(0, "[" + condition("Succeeded", "True") + "]"),
                                  {with_native_sidecar(ended, terminated(0, "Succeeded"))});
  CHECK(good.replicas[0].last_exit.code == 0);
  CHECK_FALSE(good.first_failed);
  const JobState bad =
      judge_job(pytorch_job(0, "[" + condition("Failed", "True") + "]"),
                {with_native_sidecar(ended, terminated(137, "Failed", "c1", "OOMKilled"))});
  CHECK(bad.message == "master-0 was OOMKilled (out of memory)");
}

TEST_CASE("a native sidecar that does not start is what the pod waits for") {
  const JobState state = judge_job(
      pytorch_job(0, "[" + k_created + "]"),
      {with_native_sidecar("{waiting: {reason: ImagePullBackOff}}", waiting("PodInitializing"))});
  REQUIRE(state.blocker);
  CHECK(state.blocker->reason == "ImagePullBackOff");
}

TEST_CASE("a worker waiting for its master is no blocker") {
  const Json worker =
      pod("worker", 0, R"({phase: Pending, initContainerStatuses: [{name: init-pytorch,
      state: {running: {startedAt: "2026-01-02T03:00:02Z"}}}],
      containerStatuses: [{name: pytorch, state: {waiting: {reason: PodInitializing}}}]})");
  const JobState state = judge_job(pytorch_job(1, "[" + k_created + "]"),
                                   {pod("master", 0, waiting("ContainerCreating")), worker});
  CHECK_FALSE(state.blocker);
  CHECK(state.phase == Phase::starting);
  CHECK(state.replicas[1].run.message == "waiting for the master's name to resolve");
}

TEST_CASE("a sidecar that keeps a finished replica's pod running is named") {
  const std::string status = R"({phase: Running, containerStatuses: [
      {name: istio-proxy, restartCount: 0, state: {running: {}}},
      {name: pytorch, restartCount: 0, state: {terminated: {exitCode: 0, reason: Completed}}}]})";
  Json kept = pod("master", 0, status);
  set_at(kept, "/spec/containers", yaml("[{name: istio-proxy}, {name: pytorch}]"));
  const JobState state = judge_job(pytorch_job(0, "[" + k_running + "]"), {kept});
  CHECK(state.phase == Phase::running);
  CHECK_FALSE(state.blocker);
  CHECK(state.message == "master-0 exited 0, but its container istio-proxy keeps the pod running");
  REQUIRE(first_kept(state) != nullptr);
  CHECK(sidecar_hint(first_kept(state)->pod.kept_by) ==
        "keep Istio out: --annotation sidecar.istio.io/inject=false");
}

TEST_CASE("a sidecar that runs beside the training is nothing to report") {
  const std::string status = R"({phase: Running, containerStatuses: [
      {name: istio-proxy, restartCount: 0, state: {running: {}}},
      {name: pytorch, restartCount: 0, state: {running: {}}}]})";
  const JobState state =
      judge_job(pytorch_job(0, "[" + k_running + "]"), {pod("master", 0, status)});
  CHECK(state.message.empty());
  CHECK(first_kept(state) == nullptr);
}

TEST_CASE("a volume that another pod uses is not taken for a wrong name") {
  const std::vector<Json> events = {event(
      "pod-master-0", "Warning", "FailedAttachVolume",
      "Multi-Attach error for volume \"pvc-1\" Volume is already used by pod(s) old-master-0")};
  const JobState state = judge_job(pytorch_job(0, "[" + k_created + "]"),
                                   {pod("master", 0, waiting("ContainerCreating"))}, events);
  REQUIRE(state.blocker);
  CHECK(state.blocker->hint.starts_with("another pod uses the volume"));
}

TEST_CASE("a crash loop is known from its fourth quick crash on, slow ones may still be bad luck") {
  const auto replica_of_run = [](int restarts, std::string_view finished, std::string_view state) {
    const std::string status = cat(R"({phase: Running, startTime: "2026-01-02T03:00:00Z",
        containerStatuses: [{name: pytorch, containerID: c4, restartCount: )",
                                   restarts, ", ", state, R"(: {terminated: {exitCode: 1,
        reason: Error, containerID: c4, finishedAt: ")",
                                   finished, "\"}}}]}");
    Json crashed = pod("master", 0, status);
    set_at(crashed, "/spec/restartPolicy", "OnFailure");
    return judge_job(pytorch_job(0, "[" + k_running + "]"), {crashed}).replicas[0];
  };
  CHECK(is_crash_loop(replica_of_run(3, "2026-01-02T03:00:40Z", "state")));
  CHECK_FALSE(is_crash_loop(replica_of_run(2, "2026-01-02T03:00:40Z", "state")));
  CHECK_FALSE(is_crash_loop(replica_of_run(3, "2026-01-02T07:00:40Z", "state")));
  // The fifth run is on its way, or runs.
  CHECK_FALSE(
      is_crash_loop(replica_of_run(4, "2026-01-02T03:00:40Z", "state: {running: {}}, lastState")));
}

TEST_CASE("of a deleted pod the last run counts that had ended before") {
  const auto ended_run = [](std::string_view finished, int exit_code) {
    Json deleted = pod("master", 0, terminated(exit_code, "Running", "c2", "Error", finished));
    Json& status = deleted["status"]["containerStatuses"][0];
    status["restartCount"] = 1;
    status["lastState"] = Json{{"terminated", {{"exitCode", 7}, {"containerID", "c1"}}}};
    deleted["metadata"]["deletionTimestamp"] = "2026-01-02T03:01:30Z";
    deleted["metadata"]["deletionGracePeriodSeconds"] = 30;
    const JobState state = judge_job(pytorch_job(0, "[" + k_running + "]"), {deleted});
    return state.replicas[0].last_exit.run->restarts;
  };
  CHECK(ended_run("2026-01-02T03:00:59Z", 1) == 1);
  CHECK(ended_run("2026-01-02T03:01:00Z", 1) == 1);
  CHECK(ended_run("2026-01-02T03:01:00Z", 143) == 0);
  CHECK(ended_run("2026-01-02T03:01:05Z", 1) == 0);
}

TEST_CASE("a replica that waits to run again when its job has succeeded has failed") {
  const Json crashed = pod("worker", 0, terminated(4, "Running"));
  const auto state_of_worker = [&](std::string_view phase) {
    return judge_job(pytorch_job(1, "[" + condition(phase, "True") + "]"),
                     {pod("master", 0, terminated(0, "Succeeded")), crashed})
        .replicas[1]
        .run.state;
  };
  CHECK(state_of_worker("Running") == RunState::waiting);
  CHECK(state_of_worker("Succeeded") == RunState::failed);
}

TEST_CASE("a traceback keeps its indentation, and its last line stands for it in one line") {
  Json failed = pod("worker", 0, R"({phase: Running, containerStatuses: [{name: pytorch,
      restartCount: 0, state: {terminated: {exitCode: 1, reason: Error,
      message: "\n  File \"train.py\", line 3\n    main()\nValueError: no data\n"}}}]})");
  failed["spec"]["restartPolicy"] = "OnFailure";
  Json job = pytorch_job(1, "[" + k_created + "]");
  const JobState state = judge_job(job, {pod("master", 0, running()), failed});
  const auto worker = std::ranges::find_if(
      state.replicas, [](const ReplicaState& one) { return one.id.name() == "worker-0"; });
  REQUIRE(worker != state.replicas.end());
  CHECK(worker->last_exit.words.starts_with("  File"));
  CHECK(state.message == "worker-0: Error: ValueError: no data");
}

}  // namespace pod_state_test
}  // namespace trainctl::job
