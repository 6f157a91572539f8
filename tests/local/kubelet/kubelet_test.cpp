// Pods run as real, short processes, and are reported as Kubernetes reports them.
#include "local/kubelet/kubelet.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "local/kubelet/kubelet_world.h"

namespace kubelet_test {

using namespace trainctl;
using namespace trainctl::testing;

using World = KubeletWorld;

std::string condition(const Json& pod, std::string_view type) {
  for (const Json& one : array_at(pod, "/status/conditions")) {
    if (text_at(one, "/type") == type) {
      return cat(text_at(one, "/status"), " ", text_at(one, "/reason"));
    }
  }
  return "";
}

TEST_CASE("A pod that ends well is Succeeded, with the fields and events of a kubelet") {
  World world;
  world.run("ok", "echo hello");
  const Json pod = world.finished("ok");
  CHECK(text_at(pod, "/status/phase") == "Succeeded");
  CHECK(text_at(pod, "/spec/nodeName") == host_name());
  CHECK(int_at(pod, cat(k_state, "/terminated/exitCode")) == 0);
  CHECK(text_at(pod, cat(k_state, "/terminated/reason")) == "Completed");
  CHECK(int_at(pod, "/status/containerStatuses/0/restartCount") == 0);
  CHECK(text_at(pod, "/status/containerStatuses/0/containerID").size() == 75);
  CHECK(condition(pod, "Ready") == "False PodCompleted");
  CHECK(condition(pod, "PodScheduled") == "True ");
  CHECK(condition(pod, "Initialized") == "True PodCompleted");
  CHECK(world.log("ok") == "hello\n");
  CHECK(world.has_event("ok", cat("Scheduled: Successfully assigned ml/ok to ", host_name())));
  CHECK(world.has_event("ok", "Started: Started container c"));
  CHECK(world.kubelet->running() == 0);
}

TEST_CASE("A pod that fails says with which exit code") {
  World world;
  world.run("bad", "exit 7");
  const Json pod = world.finished("bad");
  CHECK(text_at(pod, "/status/phase") == "Failed");
  CHECK(int_at(pod, cat(k_state, "/terminated/exitCode")) == 7);
  CHECK(text_at(pod, cat(k_state, "/terminated/reason")) == "Error");
  CHECK(condition(pod, "ContainersReady") == "False PodFailed");
}

// Phase and exit code, whenever one of them changes; "gone" at the end of a pod that is removed.
HandlePtr watch_pod(World& world, std::vector<std::string>& story) {
  return world.store->subscribe([&story](const Change& change) {
    if (change.resource->resource.plural != "pods") return;
    const auto code = int_at(*change.object, cat(k_state, "/terminated/exitCode"));
    std::string state = text_at(*change.object, "/status/phase");
    if (code) state += cat(' ', *code);
    if (change.type == ChangeType::deleted) state = "gone";
    if (story.empty() || story.back() != state) story.push_back(std::move(state));
  });
}

TEST_CASE("Exit codes can be read before a pod is over, and its end before it is gone") {
  World world;
  std::vector<std::string> story;
  const HandlePtr watch = watch_pod(world, story);
  world.run("bad", "trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done");
  while (world.log("bad") != "up\n") pass(world.loop, 5ms);
  world.until("bad", "/status/phase", "Running");
  modify(*world.store, served("pods"), "ml", "bad", [&](Json& pod) {
    pod["metadata"]["deletionTimestamp"] = format_time(world.loop.now() + 30s);
  });
  world.loop.run_until([&] { return !story.empty() && story.back() == "gone"; });
  CHECK(story == std::vector<std::string>{"Pending", "Running", "Running 7", "Failed 7", "gone"});
}

TEST_CASE("A line that ends as on Windows is a line, as for a container runtime") {
  World world;
  world.run("lines", R"(printf 'one\r\ntwo\rthree\r')");
  world.finished("lines");
  CHECK(world.log("lines") == "one\ntwo\rthree\r");
}

TEST_CASE("A running pod is ready, and its log says where it is to be read") {
  World world;
  world.run("run", "echo up; exec sleep 1000");
  const Json pod = world.until("run", "/status/phase", "Running");
  CHECK(condition(pod, "Ready") == "True ");
  CHECK(true_at(pod, "/status/containerStatuses/0/ready"));
  CHECK(world.kubelet->running() == 1);
  LogQuestion previous;
  previous.previous = true;
  CHECK(world.log("run", previous)
            .find(R"(previous terminated container \"c\" in pod \"run\" not found)") !=
        std::string::npos);
  LogQuestion other;
  other.container = "zz";
  CHECK(world.log("run", other).find("container zz is not valid for pod run") != std::string::npos);
}

TEST_CASE("A program that is not there is a StartError, with an empty log") {
  World world;
  world.run("gone", "", "Never", "command: [/no/such/binary]");
  const Json pod = world.finished("gone");
  CHECK(text_at(pod, cat(k_state, "/terminated/reason")) == "StartError");
  CHECK(int_at(pod, cat(k_state, "/terminated/exitCode")) == 128);
  CHECK(text_at(pod, cat(k_state, "/terminated/startedAt")) == "1970-01-01T00:00:00Z");
  CHECK(world.log("gone").empty());
}

TEST_CASE("A failing container restarts at once, then waits in a crash loop that says why") {
  World world;
  world.run("loop", "echo again; exit 1", "OnFailure");
  const Json pod = world.until("loop", cat(k_state, "/waiting/reason"), "CrashLoopBackOff");
  CHECK(text_at(pod, cat(k_state, "/waiting/message")) ==
        cat("back-off 10s restarting failed container=c pod=loop_ml(",
            text_at(pod, "/metadata/uid"), ")"));
  CHECK(int_at(pod, "/status/containerStatuses/0/restartCount") == 1);
  CHECK(int_at(pod, "/status/containerStatuses/0/lastState/terminated/exitCode") == 1);
  CHECK(text_at(pod, "/status/phase") == "Running");
  CHECK(world.log("loop") == "again\n");
}

TEST_CASE("14: the log of the first attempt stays when the second ends for good") {
  World world;
  const std::string mark = world.place.path() + "/again";
  world.run(
      "twice",
      cat("if [ -e ", mark, " ]; then echo second; else touch ", mark, "; echo first; exit 1; fi"),
      "OnFailure");
  const Json pod = world.finished("twice");
  CHECK(find(pod, "/status/containerStatuses/0/lastState/terminated") == nullptr);
  LogQuestion previous;
  previous.previous = true;
  CHECK(world.log("twice", previous) == "first\n");
  LogQuestion second;
  second.run = text_at(pod, "/status/containerStatuses/0/containerID");
  second.previous = true;
  CHECK(world.log("twice", second) == "second\n");
  second.run = "trainctl://another";
  CHECK(world.log("twice", second).starts_with("400 "));
  CHECK(world.log("twice") == "second\n");
}

TEST_CASE("A log whose beginning was rotated away says how much of it") {
  World world;
  world.settings.job_log_limit = 0;
  world.start();
  world.run("long", "head -c 70000000 /dev/zero | tr '\\0' x | fold -w 1000");
  const Json pod = world.finished("long");
  const auto warning = [&](const LogQuestion& question) {
    for (const auto& header : world.kubelet->answer(pod, question).headers) {
      if (header.name == "Warning") return header.value;
    }
    return std::string();
  };
  CHECK(warning({}) ==
        "299 - \"the log of long lacks its first 20 MiB: the node has rotated them away\"");
  LogQuestion last;
  last.tail_lines = 3;
  CHECK(warning(last).empty());
}

TEST_CASE("A secret that is missing is waited for") {
  World world;
  world.run("secret", "echo $TOKEN", "Never",
            "env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: nosec, key: token}}}]");
  const Json pod =
      world.until("secret", cat(k_state, "/waiting/reason"), "CreateContainerConfigError");
  CHECK(text_at(pod, cat(k_state, "/waiting/message")) == "secret \"nosec\" not found");
  CHECK(world.log("secret").find("is waiting to start: CreateContainerConfigError") !=
        std::string::npos);
  CHECK(world.has_event("secret", "Failed: Error: secret \"nosec\" not found"));
  world.add("secrets", "nosec",
            Json{{"kind", "Secret"}, {"apiVersion", "v1"}, {"data", {{"token", "aGk="}}}});
  world.finished("secret");
  CHECK(world.log("secret") == "hi\n");
}

TEST_CASE("A spec without a program does not start") {
  World world;
  world.run("empty", "");
  const Json pod = world.until("empty", cat(k_state, "/waiting/reason"), "CreateContainerError");
  CHECK(text_at(pod, cat(k_state, "/waiting/message")) == "no command specified");
}

TEST_CASE("Init containers run in order before the others; the operator's own is not needed") {
  World world;
  world.run("init", "echo main", "Never", "{}",
            "initContainers: [{name: one, image: i, command: [sh, -c, 'echo 1']},"
            "{name: init-pytorch, image: 'alpine:3.10', command: [sh, -c, 'exit 1']}]");
  const Json pod = world.finished("init");
  CHECK(text_at(pod, "/status/phase") == "Succeeded");
  CHECK(text_at(pod, "/status/initContainerStatuses/1/state/terminated/reason") == "Completed");
  LogQuestion question;
  question.container = "one";
  CHECK(world.log("init", question) == "1\n");
}

TEST_CASE("An init container that fails for good fails the pod") {
  World world;
  world.run("init", "echo main", "Never", "{}",
            "initContainers: [{name: one, image: i, command: [sh, -c, 'exit 2']}]");
  const Json pod = world.finished("init");
  CHECK(text_at(pod, "/status/phase") == "Failed");
  CHECK(text_at(pod, cat(k_state, "/waiting/reason")) == "PodInitializing");
}

TEST_CASE("GPUs are counted, and a pod waits for those that others have") {
  World world(2);
  const std::string_view two = "resources: {limits: {nvidia.com/gpu: 2}}";
  world.run("a", "echo $CUDA_VISIBLE_DEVICES; read x < " + world.place.path() + "/never || exit 0",
            "Never", two);
  world.until("a", "/spec/nodeName", host_name());
  world.run("b", "echo $CUDA_VISIBLE_DEVICES", "Never", two);
  const Json waiting = world.until("b", "/status/conditions/0/reason", "Unschedulable");
  CHECK(text_at(waiting, "/status/conditions/0/message") ==
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate, "
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.");
  CHECK(world.kubelet->answer(waiting, {}).code == 204);
  world.run("c", "true", "Never", "resources: {limits: {nvidia.com/gpu: 3}}");
  const Json never = world.until("c", "/status/conditions/0/reason", "Unschedulable");
  CHECK(text_at(never, "/status/conditions/0/message").find("Preemption is not helpful") !=
        std::string::npos);
  world.finished("a");
  world.finished("b");
  CHECK(world.log("b") == "0,1\n");
}

TEST_CASE("A pod that was deleted has its grace period, and is then gone") {
  World world;
  world.run("del", "trap '' TERM; echo up; while :; do sleep 0.05; done");
  while (world.log("del") != "up\n") pass(world.loop, 5ms);
  modify(*world.store, served("pods"), "ml", "del", [&](Json& pod) {
    pod["metadata"]["deletionTimestamp"] = format_time(world.loop.now() + 1s);
    pod["metadata"]["deletionGracePeriodSeconds"] = 1;
  });
  world.loop.run_until([&] { return world.pod("del").is_null(); });
  CHECK(world.has_event("del", "Killing: Stopping container c"));
  CHECK(world.kubelet->running() == 0);
}

TEST_CASE(
    "A pod that is over has its log after a rest, and leaves nothing when it is deleted then") {
  World world;
  world.run("quick", "echo done");
  const std::string uid = text_at(world.finished("quick"), "/metadata/uid");
  const std::string directory = world.place.path() + "/pods/" + uid;
  world.run("slow", "trap 'exit 0' TERM; echo up; while :; do sleep 0.05; done");
  while (world.log("slow") != "up\n") pass(world.loop, 5ms);
  pass(world.loop, 20ms);
  world.kubelet->rest();
  CHECK(world.kubelet->running() == 1);
  CHECK(world.log("quick") == "done\n");
  REQUIRE(std::filesystem::exists(directory));
  REQUIRE(std::holds_alternative<Json>(world.store->remove(served("pods"), "ml", "quick")));
  world.loop.run_until([&] { return !std::filesystem::exists(directory); });
  CHECK(text_at(world.pod("slow"), "/status/phase") == "Running");
}

TEST_CASE("A new daemon finds a pod running that a former one started, and its exit") {
  World world;
  const std::string go = world.place.path() + "/go";
  world.run("keep", "echo one; while [ ! -e " + go + " ]; do sleep 0.01; done; echo two; exit 4");
  world.until("keep", "/status/phase", "Running");
  const auto id = text_at(world.pod("keep"), "/status/containerStatuses/0/containerID");
  world.kubelet = nullptr;
  world.start();
  std::ofstream(go) << "x";
  const Json pod = world.finished("keep");
  CHECK(int_at(pod, cat(k_state, "/terminated/exitCode")) == 4);
  CHECK(text_at(pod, cat(k_state, "/terminated/containerID")) == id);
  CHECK(world.log("keep") == "one\ntwo\n");
}

TEST_CASE("A pod past its deadline is ended and says so") {
  World world;
  world.run("slow", "exec sleep 1000", "Never", "{}", "activeDeadlineSeconds: 1");
  const Json pod = world.finished("slow");
  CHECK(text_at(pod, "/status/reason") == "DeadlineExceeded");
}

}  // namespace kubelet_test
