// What becomes of running pods when the cluster goes down, and when it comes up again.
#include <doctest/doctest.h>

#include "local/kubelet/kubelet_world.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::testing;

using World = KubeletWorld;

constexpr std::string_view k_saves_at_the_end =
    "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done";

// Ends the cluster as `local down` does, when the pod has printed its first line, and starts it
// again.
void go_down_and_up(World& world, std::string_view name) {
  while (world.log(name) != "up\n") pass(world.loop, 5ms);
  world.until(name, "/status/phase", "Running");
  bool stopped = false;
  world.kubelet->stop_all(std::nullopt, [&stopped] { stopped = true; });
  world.loop.run_until([&stopped] { return stopped; });
  world.kubelet = nullptr;
  world.start();
}

LogQuestion of_the_previous_run() {
  LogQuestion question;
  question.previous = true;
  return question;
}

Json restarted(World& world, std::string_view name) {
  world.loop.run_until([&] {
    const Json pod = world.pod(name);
    return int_at(pod, "/status/containerStatuses/0/restartCount") == 1 &&
           find(pod, cat(k_state, "/running")) != nullptr;
  });
  return world.pod(name);
}

TEST_CASE("A cluster that goes down gives each pod its own grace period") {
  World world;
  const std::string stubborn = "trap '' TERM; echo up; while :; do sleep 0.05; done";
  world.run("hasty", stubborn, "Never", "{}", "terminationGracePeriodSeconds: 1");
  world.run("slow",
            "trap 'sleep 3; echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done",
            "Never", "{}", "terminationGracePeriodSeconds: 60");
  while (world.log("hasty") != "up\n" || world.log("slow") != "up\n") pass(world.loop, 5ms);
  bool stopped = false;
  world.kubelet->stop_all(std::nullopt, [&stopped] { stopped = true; });
  world.loop.run_until([&stopped] { return stopped; });
  CHECK(int_at(world.pod("hasty"), cat(k_state, "/terminated/exitCode")) == 137);
  CHECK(world.log("slow") == "up\nsaved\n");
  const std::string finished = cat(k_state, "/terminated/finishedAt");
  CHECK(text_at(world.pod("hasty"), finished) < text_at(world.pod("slow"), finished));
}

TEST_CASE("A cluster that is asked again to go down does not wait for any grace period") {
  World world;
  world.run("stubborn", "trap '' TERM; echo up; while :; do sleep 0.05; done", "Never", "{}",
            "terminationGracePeriodSeconds: 3600");
  while (world.log("stubborn") != "up\n") pass(world.loop, 5ms);
  bool stopped = false;
  world.kubelet->stop_all(std::nullopt, [&stopped] { stopped = true; });
  world.kubelet->stop_all(0s, [&stopped] { stopped = true; });
  world.loop.run_until([&stopped] { return stopped; });
  CHECK(int_at(world.pod("stubborn"), cat(k_state, "/terminated/exitCode")) == 137);
}

TEST_CASE("A replica that ran when the cluster went down is restarted, and its first log is kept") {
  World world;
  world.run("keep", k_saves_at_the_end, "OnFailure");
  go_down_and_up(world, "keep");
  const Json pod = restarted(world, "keep");
  CHECK(text_at(pod, "/status/phase") == "Running");
  CHECK(find(pod, "/status/containerStatuses/0/lastState/terminated") != nullptr);
  CHECK(world.log("keep", of_the_previous_run()) == "up\nsaved\n");
}

TEST_CASE("A replica that may not restart has failed when the cluster went down, and has its log") {
  World world;
  world.run("once", k_saves_at_the_end, "Never");
  go_down_and_up(world, "once");
  const Json pod = world.finished("once");
  CHECK(text_at(pod, "/status/phase") == "Failed");
  CHECK(text_at(pod, "/status/reason") == "Terminated");
  CHECK(text_at(pod, "/status/message") ==
        "Pod was terminated in response to imminent node shutdown.");
  CHECK(world.log("once") == "up\nsaved\n");
}

TEST_CASE("A replica that the operator restarts by exit code keeps its log when the cluster ends") {
  World world;
  const Json replica = {{"restartPolicy", "ExitCode"}, {"replicas", 1}};
  const Json job = good(world.store->create(
      served("pytorchjobs"), {{"kind", "PyTorchJob"},
                              {"apiVersion", "kubeflow.org/v1"},
                              {"metadata", {{"name", "job"}, {"namespace", "ml"}}},
                              {"spec", {{"pytorchReplicaSpecs", {{"Worker", replica}}}}}}));
  world.owner = text_at(job, "/metadata/uid");
  world.run("keep", k_saves_at_the_end, "Never");
  modify(*world.store, served("pods"), "ml", "keep", [](Json& pod) {
    pod["metadata"]["labels"] = {{"training.kubeflow.org/job-name", "job"},
                                 {"training.kubeflow.org/replica-type", "worker"},
                                 {"training.kubeflow.org/replica-index", "0"}};
  });
  go_down_and_up(world, "keep");
  restarted(world, "keep");
  CHECK(world.log("keep", of_the_previous_run()) == "up\nsaved\n");
}

}  // namespace TEST_FILE
