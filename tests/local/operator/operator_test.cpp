// The life of a PyTorchJob as verified on a real cluster: what its status says at every step.
#include "local/operator/operator.h"

#include "local/operator/operator_world.h"

namespace trainctl::testing {
namespace operator_test {

using Names = std::vector<std::string>;

const std::string k_pair = "{Master: {replicas: 1, T}, Worker: {replicas: 1, T}}";

std::string pair(std::string_view policy) {
  return cat("{Master: {replicas: 1, restartPolicy: ", policy,
             ", T}, Worker: {replicas: 2, restartPolicy: ", policy, ", T}}");
}

// A job whose pods all run.
World& running(World& world, const Json& job) {
  world.submit(job);
  for (const std::string& pod : world.names("pods")) world.run(pod);
  return world;
}

TEST_CASE("a job gets its pods and services, and is Created") {
  World world;
  world.submit(make_job("pytorch", "ok", k_pair));
  CHECK(world.names("pods") == Names{"ok-master-0", "ok-worker-0"});
  CHECK(world.names("services") == Names{"ok-master-0", "ok-worker-0"});
  CHECK(world.conditions("ok") == "Created=True");
  CHECK(world.message("ok", "Created") == "PyTorchJob ok is created.");
  const Json status = world.status("ok");
  CHECK(text_at(status, "/startTime") == "2026-01-02T03:04:05Z");
  CHECK(text_at(status, "/replicaStatuses/Worker/selector") ==
        "training.kubeflow.org/job-name=ok,training.kubeflow.org/operator-name=pytorchjob-"
        "controller,training.kubeflow.org/replica-type=worker");
  CHECK(find(status, "/lastReconcileTime") == nullptr);
  CHECK(world.has_event("ok", "Normal SuccessfulCreatePod: Created pod: ok-master-0"));
  CHECK(world.has_event("ok", "Normal SuccessfulCreateService: Created service: ok-worker-0"));
}

TEST_CASE("a job runs with its master and succeeds with it") {
  World world;
  world.submit(make_job("pytorch", "ok", k_pair));
  world.run("ok-worker-0");
  CHECK(world.conditions("ok") == "Created=True");
  world.run("ok-master-0");
  CHECK(world.conditions("ok") == "Created=True Running=True");
  CHECK(world.message("ok", "Running") == "PyTorchJob ok is running.");
  world.wait(4s);
  world.end("ok-master-0", 0);
  CHECK(world.conditions("ok") == "Created=True Running=False Succeeded=True");
  CHECK(world.message("ok", "Succeeded") == "PyTorchJob ok is successfully completed.");
  CHECK(text_at(world.condition("ok", "Running"), "/reason") == "PyTorchJobRunning");
  CHECK(text_at(world.status("ok"), "/completionTime") == "2026-01-02T03:04:09Z");
  CHECK(world.has_event("ok",
                        "Normal PyTorchJobSucceeded: PyTorchJob ok is successfully completed."));
  CHECK(world.has_event("ok", "Normal ExitedWithCode: Pod: ml.ok-master-0 exited with code 0"));
  // The worker runs on, and is counted as succeeded all the same.
  CHECK(world.counts("ok", "Worker") == "succeeded 1");
  CHECK(world.names("pods").size() == 2);
}

TEST_CASE("a very short master is never Running") {
  World world;
  world.submit(make_job("pytorch", "ok", k_pair));
  world.end("ok-master-0", 0);
  CHECK(world.conditions("ok") == "Created=True Succeeded=True");
}

TEST_CASE("one failed replica of Never fails the job, and the counts freeze") {
  World world;
  running(world, make_job("pytorch", "never", pair("Never")));
  world.end("never-worker-0", 7);
  CHECK(world.conditions("never") == "Created=True Running=False Failed=True");
  CHECK(world.message("never", "Failed") ==
        "PyTorchJob never is failed because 1 Worker replica(s) failed.");
  CHECK(world.counts("never", "Worker") == "active 1 failed 1");
  CHECK(world.has_event("never",
                        "Normal PyTorchJobFailed: PyTorchJob never is failed because 1 "
                        "Worker replica(s) failed."));
  world.end("never-master-0", 0);
  CHECK(world.conditions("never") == "Created=True Running=False Failed=True");
  CHECK(world.counts("never", "Master") == "active 1");
  CHECK(world.names("pods").size() == 3);
}

TEST_CASE("a deleted pod of Never fails the job and does not come back") {
  World world;
  running(world, make_job("pytorch", "del", pair("Never")));
  world.delete_pod("del-worker-1");
  CHECK(world.message("del", "Failed") ==
        "PyTorchJob del is failed because 1 Worker replica(s) failed.");
  world.remove_pod("del-worker-1");
  CHECK(world.names("pods") == Names{"del-master-0", "del-worker-0"});
}

TEST_CASE("a deleted pod of OnFailure restarts the job and comes back") {
  World world;
  running(world, make_job("pytorch", "del", pair("OnFailure")));
  world.delete_pod("del-worker-1");
  CHECK(world.conditions("del") == "Created=True Restarting=True");
  CHECK(world.message("del", "Restarting") ==
        "PyTorchJob del is restarting because 1 Worker replica(s) failed.");
  world.remove_pod("del-worker-1");
  CHECK(world.conditions("del") == "Created=True Running=True");
  CHECK(world.names("pods").size() == 3);
}

TEST_CASE("a pod of OnFailure that failed as a pod is made anew") {
  World world;
  running(world, make_job("pytorch", "ev", pair("OnFailure")));
  const std::string old = text_at(world.pod("ev-worker-0"), "/metadata/uid");
  world.set_status("ev-worker-0", "{phase: Failed, reason: Evicted}");
  world.wait();
  CHECK(text_at(world.pod("ev-worker-0"), "/metadata/uid") != old);
  CHECK(world.has_event("ev",
                        "Warning PyTorchJobRestarting: job ev is restarting because Worker "
                        "replica(s) failed."));
  CHECK(world.has_event("ev", "Normal SuccessfulDeletePod: Deleted pod: ev-worker-0"));
}

TEST_CASE("exit codes below 128 fail an ExitCode job, without a completion time or an end") {
  World world;
  Json job =
      make_job("pytorch", "ec", pair("ExitCode"), "  runPolicy: {ttlSecondsAfterFinished: 6}");
  running(world, job).end("ec-worker-0", 1);
  CHECK(world.message("ec", "Failed") ==
        "job \"ec\" is failing because \"Worker\" replica(s) failed.");
  CHECK(find(world.status("ec"), "/completionTime") == nullptr);
  CHECK(world.has_event("ec",
                        "Warning PyTorchJobFailed: job \"ec\" is failing because \"Worker\" "
                        "replica(s) failed."));
  CHECK(world.has_event("ec",
                        "Warning PyTorchJobRestarting: PyTorchJob ec is restarting because 1 "
                        "Worker replica(s) failed."));
  world.wait(300s);
  CHECK(!world.job("ec").is_null());
}

TEST_CASE("exit codes from 128 on restart an ExitCode job for ever") {
  for (const int code : {138, 143, 137, 128}) {
    CAPTURE(code);
    World world;
    running(world, make_job("pytorch", "ec", pair("ExitCode"), "  runPolicy: {backoffLimit: 2}"));
    for (int round = 0; round < 4; ++round) {
      const std::string old = text_at(world.pod("ec-worker-0"), "/metadata/uid");
      world.end("ec-worker-0", code);
      world.wait(4s);
      CHECK(text_at(world.pod("ec-worker-0"), "/metadata/uid") != old);
      CHECK(world.conditions("ec") == "Created=True Running=True");
      world.run("ec-worker-0");
    }
    world.end("ec-master-0", 0);
    CHECK(world.conditions("ec") == "Created=True Running=False Succeeded=True");
  }
}

TEST_CASE("a pod that fails at once is created anew no more often than on a real cluster") {
  World world;
  running(world, make_job("pytorch", "ec", pair("ExitCode")));
  world.end("ec-worker-0", 137);
  CHECK(world.pod("ec-worker-0").is_null());
  CHECK(world.conditions("ec").find("Failed") == std::string::npos);
  world.wait(4s);
  CHECK(!world.pod("ec-worker-0").is_null());
  // One that has run for a while is not waited for.
  world.run("ec-worker-0");
  world.wait(60s);
  world.end("ec-worker-0", 137);
  CHECK(!world.pod("ec-worker-0").is_null());
}

TEST_CASE("a master that succeeds beside a worker that failed in the same moment wins") {
  World world;
  running(world, make_job("pytorch", "race", k_pair));
  world.end_unseen("race-worker-0", 1);
  world.end("race-master-0", 0);
  CHECK(world.conditions("race").ends_with("Succeeded=True"));
}

TEST_CASE("workers without a master: all must succeed, or any one of an elastic job") {
  const struct {
    std::string_view spec;
    bool one_is_enough;
  } rows[] = {{"", false}, {"  elasticPolicy: {minReplicas: 1, maxReplicas: 2}", true}};
  for (const auto& row : rows) {
    CAPTURE(row.spec);
    World world;
    running(world, make_job("pytorch", "el", "{Worker: {replicas: 2, T}}", row.spec));
    CHECK(world.message("el", "Running") == "PyTorchJob ml/el is running.");
    world.end("el-worker-1", 0);
    CHECK(world.conditions("el").ends_with("Succeeded=True") == row.one_is_enough);
    world.end("el-worker-0", 0);
    CHECK(world.message("el", "Succeeded") == "PyTorchJob ml/el successfully completed.");
  }
}

TEST_CASE("a failing second container fails the job although training ended well") {
  World world;
  running(world, make_job("pytorch", "side", pair("Never")));
  world.set_status("side-worker-0",
                   "{phase: Failed, containerStatuses: [{name: pytorch, state: {terminated: "
                   "{exitCode: 0}}}, {name: side, state: {terminated: {exitCode: 1}}}]}");
  world.wait();
  CHECK(world.conditions("side").ends_with("Failed=True"));
  CHECK(world.has_event("side", "Normal ExitedWithCode: Pod: ml.side-worker-0 exited with code 0"));
}

TEST_CASE("a failed init container fails the job that never ran") {
  World world;
  world.submit(make_job("pytorch", "init", pair("Never")));
  world.set_status("init-master-0",
                   "{phase: Failed, initContainerStatuses: [{name: i, state: {terminated: "
                   "{exitCode: 3, reason: Error}}}], containerStatuses: [{name: pytorch, state: "
                   "{waiting: {reason: PodInitializing}}}]}");
  world.wait();
  CHECK(world.conditions("init") == "Created=True Failed=True");
  for (const std::string& event : world.events("init")) {
    CHECK(event.find("Error pod") == std::string::npos);
  }
}

TEST_CASE("scaling changes the number of pods and services") {
  World world;
  running(world, make_job("pytorch", "s", "{Worker: {replicas: 3, T}}"));
  world.edit("s", "/spec/pytorchReplicaSpecs/Worker/replicas", 1);
  world.remove_pod("s-worker-1");
  world.remove_pod("s-worker-2");
  CHECK(world.names("pods") == Names{"s-worker-0"});
  CHECK(world.names("services") == Names{"s-worker-0"});
  world.edit("s", "/spec/pytorchReplicaSpecs/Worker/replicas", 2);
  CHECK(world.names("pods") == Names{"s-worker-0", "s-worker-1"});
  CHECK(world.has_event("s", "Normal SuccessfulDeleteService: Deleted service: s-worker-2"));
}

TEST_CASE("a new daemon goes on where the old one ended") {
  World world;
  running(world, make_job("pytorch", "ok", k_pair));
  world.stop();
  world.end_unseen("ok-master-0", 0);
  world.start();
  world.wait();
  CHECK(world.conditions("ok") == "Created=True Running=False Succeeded=True");
}

}  // namespace operator_test
}  // namespace trainctl::testing
