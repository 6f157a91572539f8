// How long running pods have to end when the cluster goes down.
#include <doctest/doctest.h>

#include "local/kubelet/kubelet_world.h"

namespace shutdown_test {

using namespace trainctl;
using namespace trainctl::testing;

using World = KubeletWorld;

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

}  // namespace shutdown_test
