// Run policies as verified on a real cluster: clean-up, limits, time to live, suspension.
#include "local/operator/operator.h"
#include "local/operator/operator_world.h"

namespace trainctl::testing {
namespace policy_test {

using Names = std::vector<std::string>;

const std::string k_pair =
    "{Master: {replicas: 1, restartPolicy: OnFailure, T},"
    " Worker: {replicas: 1, restartPolicy: OnFailure, T}}";

Json with_policy(std::string_view policy, std::string_view name = "j") {
  return make_job("pytorch", name, k_pair, cat("  runPolicy: {", policy, "}"));
}

World& running(World& world, const Json& job) {
  world.submit(job);
  for (const std::string& pod : world.names("pods")) world.run(pod);
  return world;
}

// The pods that remain: those not being deleted.
Names kept(const World& world) {
  Names found;
  for (const std::string& name : world.names("pods")) {
    if (find(world.pod(name), "/metadata/deletionTimestamp") == nullptr) found.push_back(name);
  }
  return found;
}

TEST_CASE("cleanPodPolicy says what is left of a finished job") {
  const struct {
    std::string_view policy;
    Names pods, services;
  } rows[] = {
      {"cleanPodPolicy: None", {"j-master-0", "j-worker-0"}, {"j-master-0", "j-worker-0"}},
      {"", {"j-master-0", "j-worker-0"}, {"j-master-0", "j-worker-0"}},
      {"cleanPodPolicy: Running", {"j-master-0"}, {"j-master-0"}},
      {"cleanPodPolicy: All", {}, {}},
      {"cleanPodPolicy: none", {}, {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.policy);
    World world;
    running(world, with_policy(row.policy)).end("j-master-0", 0);
    CHECK(kept(world) == row.pods);
    CHECK(world.names("services") == row.services);
    CHECK(world.counts("j", "Worker") == "succeeded 1");
  }
}

TEST_CASE("backoffLimit ends a crash loop by the restarts of running pods") {
  const struct {
    int limit, restarts;
    bool failed;
  } rows[] = {{2, 1, false}, {2, 2, true}, {1, 1, true}, {0, 0, false}, {0, 1, true}};
  for (const auto& row : rows) {
    CAPTURE(row.limit);
    CAPTURE(row.restarts);
    World world;
    running(world, with_policy(cat("backoffLimit: ", row.limit)));
    world.run("j-worker-0", row.restarts);
    CHECK((world.message("j", "Failed") ==
           "Job j has failed because it has reached the specified backoff limit") == row.failed);
    CHECK((find(world.status("j"), "/completionTime") != nullptr) == row.failed);
    CHECK(kept(world).size() == 2);
  }
}

TEST_CASE("a job that reached its limit is cleaned up by its policy") {
  World world;
  running(world, with_policy("backoffLimit: 1, cleanPodPolicy: Running"));
  world.run("j-worker-0", 1);
  CHECK(kept(world).empty());
  CHECK(world.names("services").empty());
}

TEST_CASE("a crash loop without a limit stays Running") {
  World world;
  running(world, make_job("pytorch", "j", k_pair));
  world.run("j-worker-0", 30);
  CHECK(world.conditions("j") == "Created=True Running=True");
  CHECK(world.counts("j", "Worker") == "active 1");
}

TEST_CASE("backoffLimit 0 names the limit even where restarts are not counted") {
  World world;
  running(world, make_job("pytorch", "j", "{Worker: {replicas: 2, restartPolicy: Never, T}}",
                          "  runPolicy: {backoffLimit: 0}"));
  world.end("j-worker-0", 1);
  CHECK(world.message("j", "Failed") ==
        "Job j has failed because it has reached the specified backoff limit");
}

TEST_CASE("activeDeadlineSeconds ends a job on time") {
  World world;
  running(world, with_policy("activeDeadlineSeconds: 8"));
  world.wait(7s);
  CHECK(world.conditions("j") == "Created=True Running=True");
  world.wait(1s);
  CHECK(world.conditions("j") == "Created=True Running=False Failed=True");
  CHECK(world.message("j", "Failed") ==
        "Job j has failed because it was active longer than specified deadline");
  CHECK(kept(world).size() == 2);
}

TEST_CASE("a finished job is deleted when its time to live is over") {
  World world;
  running(world, with_policy("ttlSecondsAfterFinished: 6")).end("j-master-0", 0);
  world.wait(5s);
  CHECK(!world.job("j").is_null());
  world.wait(2s);
  CHECK(world.job("j").is_null());
  CHECK(world.has_event("j", "Normal SuccessfulDeletePod: Deleted job: j"));
}

TEST_CASE("the time to live survives the daemon") {
  World world;
  running(world, with_policy("ttlSecondsAfterFinished: 6")).end("j-master-0", 0);
  world.stop();
  world.wait(60s);
  world.start();
  world.wait();
  CHECK(world.job("j").is_null());
}

TEST_CASE("the time to live survives a rest, and so does a job that is resumed after one") {
  World world;
  running(world, with_policy("ttlSecondsAfterFinished: 6")).end("j-master-0", 0);
  world.rest();
  CHECK(!world.job("j").is_null());
  world.wait(7s);
  CHECK(world.job("j").is_null());

  world.submit(with_policy("suspend: true", "late"));
  world.rest();
  CHECK(world.pod("late-master-0").is_null());
  world.edit("late", "/spec/runPolicy/suspend", false);
  CHECK(!world.pod("late-master-0").is_null());
}

TEST_CASE("a job suspended at creation has no pods and no start") {
  World world;
  world.submit(with_policy("suspend: true"));
  CHECK(world.conditions("j") == "Created=True Suspended=True");
  CHECK(find(world.status("j"), "/startTime") == nullptr);
  CHECK(find(world.status("j"), "/replicaStatuses") == nullptr);
  CHECK(world.names("pods").empty());
  world.wait(60s);
  world.edit("j", "/spec/runPolicy/suspend", false);
  CHECK(world.conditions("j") == "Created=True Suspended=False");
  CHECK(world.message("j", "Suspended") == "PyTorchJob j is resumed.");
  CHECK(text_at(world.condition("j", "Suspended"), "/reason") == "PyTorchJobResumed");
  CHECK(text_at(world.status("j"), "/startTime") == "2026-01-02T03:05:05Z");
  CHECK(world.names("pods").size() == 2);
  world.run("j-master-0");
  CHECK(world.conditions("j") == "Created=True Suspended=False Running=True");
}

TEST_CASE("suspending a running job deletes its pods and keeps its start") {
  World world;
  running(world, with_policy("cleanPodPolicy: None"));
  world.wait(10s);
  world.edit("j", "/spec/runPolicy/suspend", true);
  CHECK(world.conditions("j") == "Created=True Running=False Suspended=True");
  CHECK(text_at(world.condition("j", "Running"), "/reason") == "PyTorchJobSuspended");
  CHECK(world.message("j", "Running") == "PyTorchJob j is suspended.");
  CHECK(world.counts("j", "Worker").empty());
  CHECK(text_at(world.status("j"), "/startTime") == "2026-01-02T03:04:05Z");
  CHECK(kept(world).empty());
  CHECK(world.names("services").empty());
  CHECK(world.has_event("j", "Normal PyTorchJobSuspended: PyTorchJob j is suspended."));
  world.remove_pod("j-master-0");
  world.remove_pod("j-worker-0");
  world.edit("j", "/spec/runPolicy/suspend", false);
  world.run("j-master-0");
  CHECK(world.conditions("j") == "Created=True Suspended=False Running=True");
  CHECK(world.has_event("j", "Normal PyTorchJobResumed: PyTorchJob j is resumed."));
}

TEST_CASE("a job of another manager is left alone, but for JAX") {
  const std::string_view policy = "  runPolicy: {managedBy: kueue.x-k8s.io/multikueue}";
  World world;
  world.submit(make_job("pytorch", "m", k_pair, policy));
  CHECK(world.status("m").empty());
  CHECK(world.names("pods").empty());
  World jax;
  jax.submit(make_job("jax", "m", "{Worker: {T}}", policy));
  CHECK(jax.conditions("m") == "Created=True");
}

TEST_CASE("an empty replica map has no status for ever") {
  World world;
  world.submit(make_job("pytorch", "i", "{}"));
  world.wait(60s);
  CHECK(world.status("i").empty());
}

TEST_CASE("nothing is made for a job that is being deleted") {
  World world;
  Json job = make_job("pytorch", "d", k_pair);
  set_at(job, "/metadata/deletionTimestamp", "2026-01-02T03:04:05Z");
  set_at(job, "/metadata/finalizers", Json::array({"foregroundDeletion"}));
  world.submit(job);
  CHECK(world.names("pods").empty());
}

}  // namespace policy_test
}  // namespace trainctl::testing
