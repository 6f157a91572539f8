// Faults that keep a job from starting, and the events that report them, as verified on a real
// cluster.
#include "local/operator/operator.h"
#include "local/operator/operator_world.h"

namespace trainctl::testing {
namespace trouble_test {

using Names = std::vector<std::string>;

Json with_pod(std::string_view name, std::string_view pointer, const Json& value) {
  Json job = make_job("pytorch", name, "{Master: {replicas: 1, restartPolicy: Never, T}}");
  set_at(job, cat("/spec/pytorchReplicaSpecs/Master", pointer), value);
  return job;
}

int count_of(const World& world, std::string_view reason) {
  for (const auto& event : world.store->list(served("events"), "ml")) {
    if (text_at(*event, "/reason") == reason) {
      return static_cast<int>(int_at(*event, "/count").value_or(0));
    }
  }
  return 0;
}

TEST_CASE("a pod the API server refuses leaves the job without a status") {
  const struct {
    std::string_view pointer;
    Json value;
    std::string_view event;
  } rows[] = {
      {"/template/spec/serviceAccountName", "nosa",
       "pods \"j-master-0\" is forbidden: error looking up service account ml/nosa: "
       "serviceaccount \"nosa\" not found"},
      {"/template/spec/priorityClassName", "high",
       "pods \"j-master-0\" is forbidden: no PriorityClass with name high was found"},
      {"/template/spec/runtimeClassName", "gvisor",
       "pods \"j-master-0\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not found"},
  };
  for (const auto& row : rows) {
    World world;
    world.submit(with_pod("j", row.pointer, row.value));
    world.wait(40s);
    CHECK(world.status("j").empty());
    CHECK(world.names("pods").empty());
    CHECK(world.has_event("j", cat("Warning FailedCreatePod: Error creating: ", row.event)));
    CHECK(count_of(world, "FailedCreatePod") == 13);
  }
}

TEST_CASE("a service account that comes later lets the job start") {
  World world;
  world.submit(with_pod("j", "/template/spec/serviceAccountName", "late"));
  Json account = local_objects::named("ml", "late");
  local_objects::good(world.store->create(served("serviceaccounts"), account));
  world.wait(10s);
  CHECK(world.conditions("j") == "Created=True");
}

TEST_CASE("a second kind of the same name waits for ever") {
  World world;
  world.submit(make_job("pytorch", "same", "{Master: {replicas: 1, T}}"));
  world.submit(make_job("xgboost", "same", "{Master: {replicas: 1, T}}"));
  world.wait(20s);
  CHECK(world.status("same").empty());
  CHECK(world.has_event("same",
                        "Warning FailedCreatePod: Error creating: pods \"same-master-0\" "
                        "already exists"));
}

TEST_CASE("a new job of an old name waits for the old pods, then starts by itself") {
  World world;
  const Json job = make_job("pytorch", "rec", "{Master: {replicas: 1, T}}");
  world.submit(job);
  world.run("rec-master-0");
  world.delete_pod("rec-master-0");
  local_objects::good(world.store->remove(served("pytorchjobs"), "ml", "rec"));
  world.submit(job);
  world.wait(31s);
  CHECK(world.status("rec").empty());
  CHECK(world.has_event("rec",
                        "Warning FailedCreatePod: Error creating: object is being deleted: "
                        "pods \"rec-master-0\" already exists"));
  world.remove_pod("rec-master-0");
  CHECK(world.conditions("rec") == "Created=True");
  CHECK(text_at(world.status("rec"), "/startTime") == "2026-01-02T03:04:36Z");
}

TEST_CASE("a template's own restart policy is overwritten with a warning") {
  World world;
  world.submit(with_pod("j", "/template/spec/restartPolicy", "Always"));
  CHECK(text_at(world.pod("j-master-0"), "/spec/restartPolicy") == "Never");
  CHECK(world.has_event("j",
                        "Warning SetPodTemplateRestartPolicy: Restart policy in pod template "
                        "will be overwritten by restart policy in replica spec"));
}

TEST_CASE("a pod's reason for waiting stands at its job") {
  const struct {
    std::string_view status, event;
  } rows[] = {
      {"{phase: Pending, containerStatuses: [{name: pytorch, state: {waiting: {reason: "
       "ImagePullBackOff, message: Back-off}}}]}",
       "Warning ImagePullBackOff: Error pod j-master-0 container pytorch waiting message: "
       "Back-off"},
      {"{phase: Running, containerStatuses: [{name: pytorch, state: {terminated: {reason: "
       "OOMKilled, exitCode: 137, message: m}}}]}",
       "Warning OOMKilled: Error pod j-master-0 container pytorch exitCode: 137 terminated "
       "message: m"},
      {"{phase: Pending, conditions: [{type: PodScheduled, status: \"False\", reason: "
       "Unschedulable, message: 0/1 nodes}]}",
       "Warning Unschedulable: Error pod j-master-0 condition message: 0/1 nodes"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.event);
    World world;
    world.submit(make_job("pytorch", "j", "{Master: {replicas: 1, T}}"));
    world.set_status("j-master-0", row.status);
    world.wait();
    CHECK(world.has_event("j", row.event));
    CHECK(!world.has_event("j", "Normal PyTorchJobFailed: "));
  }
}

TEST_CASE("events carry the controller's name") {
  World world;
  world.submit(make_job("paddle", "j", "{Worker: {T}}"));
  const auto events = world.store->list(served("events"), "ml");
  REQUIRE(!events.empty());
  CHECK(text_at(*events[0], "/source/component") == "paddlejob-controller");
  CHECK(text_at(*events[0], "/reportingComponent") == "paddlejob-controller");
  CHECK(text_at(*events[0], "/involvedObject/kind") == "PaddleJob");
}

TEST_CASE("a hundred pods do not make hundreds of events") {
  World world;
  world.submit(make_job("jax", "big", "{Worker: {replicas: 100, T}}"));
  CHECK(world.names("pods").size() == 100);
  CHECK(world.names("services").size() == 100);
  const auto events = world.events("big");
  CHECK(events.size() == 10);
  CHECK(events.back() ==
        "Normal SuccessfulCreatePod: (combined from similar events): Created pod: big-worker-24");
}

}  // namespace trouble_test
}  // namespace trainctl::testing
