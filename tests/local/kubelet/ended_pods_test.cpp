// Logs of pods that are gone, which a user would lose to the operator's clean-up.
#include "local/kubelet/ended_pods.h"

#include <doctest/doctest.h>

#include "base/file/small_file.h"
#include "base/text/text.h"
#include "local/kubelet/kubelet_world.h"

namespace ended_pods_test {

using namespace trainctl;
using namespace trainctl::testing;

struct JobWorld : KubeletWorld {
  JobWorld() {
    Json job = good(store->create(served("pytorchjobs"), named("ml", "ddp")));
    owner = text_at(job, "/metadata/uid");
  }
  void remove(std::string_view plural, std::string_view name) {
    good(store->remove(served(plural), "ml", name));
    loop.run_until([&] { return (plural == "pods") == has_ended_pod(); });
  }
  bool has_ended_pod() const { return kubelet->ended_pod("ml", "ddp-master-0").has_value(); }
  std::string ended_log(bool previous = false) {
    LogQuestion question;
    question.previous = previous;
    return log_of(*kubelet->ended_pod("ml", "ddp-master-0"), question);
  }
};

TEST_CASE("The log of a pod that clean-up removed is kept as long as its job") {
  JobWorld world;
  world.run("ddp-master-0", "echo Traceback; exit 1");
  world.finished("ddp-master-0");
  world.remove("pods", "ddp-master-0");
  CHECK(world.ended_log() == "Traceback\n");
  CHECK(world.kubelet->ended_pods_of(world.owner).size() == 1);

  SUBCASE("and found by the next daemon") {
    world.kubelet = nullptr;
    world.start();
    CHECK(world.ended_log() == "Traceback\n");
  }
  SUBCASE("of a pod made anew under its name, the newer one is kept") {
    world.run("ddp-master-0", "echo again; exit 2");
    world.finished("ddp-master-0");
    const std::string newer = text_at(world.pod("ddp-master-0"), "/metadata/uid");
    good(world.store->remove(served("pods"), "ml", "ddp-master-0"));
    world.loop.run_until([&] {
      return text_at(*world.kubelet->ended_pod("ml", "ddp-master-0"), "/metadata/uid") == newer;
    });
    CHECK(world.ended_log() == "again\n");
    CHECK(names_in(world.place.path() + "/pods").size() == 1);
  }
  SUBCASE("but no longer") {
    world.remove("pytorchjobs", "ddp");
    CHECK(names_in(world.place.path() + "/pods").empty());
    CHECK(names_in(world.place.path() + "/ended").empty());
  }
  SUBCASE("and not by a daemon that finds the job gone") {
    world.kubelet = nullptr;
    good(world.store->remove(served("pytorchjobs"), "ml", "ddp"));
    world.start();
    CHECK_FALSE(world.has_ended_pod());
    CHECK(names_in(world.place.path() + "/pods").empty());
  }
}

TEST_CASE("Of a pod that was removed between two runs, both logs are kept") {
  JobWorld world;
  world.run("ddp-master-0", "echo Traceback; exit 1", "Always");
  world.loop.run_until([&] {
    return int_at(world.pod("ddp-master-0"), "/status/containerStatuses/0/restartCount") == 1 &&
           !text_at(world.pod("ddp-master-0"),
                    "/status/containerStatuses/0/lastState/terminated/containerID")
                .empty();
  });
  world.remove("pods", "ddp-master-0");
  CHECK(world.ended_log(true) == "Traceback\n");
}

TEST_CASE("A pod that goes is kept by the time its watchers hear of it") {
  JobWorld world;
  world.run("ddp-master-0", "echo Traceback; exit 1");
  world.finished("ddp-master-0");
  bool told = false, kept = false;
  const HandlePtr watching = world.store->subscribe([&](const Change& change) {
    if (change.type != ChangeType::deleted) return;
    told = true;
    kept = world.has_ended_pod();
  });
  good(world.store->remove(served("pods"), "ml", "ddp-master-0"));
  world.loop.run_until([&] { return told; });
  CHECK(kept);
}

TEST_CASE("Of a pod without a job, and of one that never ran, nothing is kept") {
  JobWorld world;
  SUBCASE("no job") {
    world.owner = "";
    world.run("ddp-master-0", "exit 1");
    world.finished("ddp-master-0");
  }
  SUBCASE("no run") {
    world.run("ddp-master-0", "true", "Never",
              "env: [{name: A, valueFrom: {secretKeyRef: {name: no, key: k}}}]");
    world.until("ddp-master-0", cat(k_state, "/waiting/reason"), "CreateContainerConfigError");
  }
  good(world.store->remove(served("pods"), "ml", "ddp-master-0"));
  world.loop.run_until([&] { return names_in(world.place.path() + "/pods").empty(); });
  CHECK_FALSE(world.has_ended_pod());
}

}  // namespace ended_pods_test
