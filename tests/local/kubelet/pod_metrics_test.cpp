// A user who looks for the replica that lags needs its use of CPU and memory.
#include <doctest/doctest.h>

#include "base/value/quantity.h"
#include "local/kubelet/kubelet_world.h"
#include "local/kubelet/memory_limit.h"

namespace trainctl::testing {
namespace TEST_FILE {

TEST_CASE(
    "the metrics of a running pod hold its CPU and its memory; those of a finished one none") {
  KubeletWorld world;
  world.run("busy", "echo ready; while true; do :; done");
  world.run("done", "exit 0");
  world.finished("done");
  world.until("busy", "/status/phase", "Running");
  bool waited = false;
  const HandlePtr timer = world.loop.after(1500ms, [&waited] { waited = true; });
  world.loop.run_until([&waited] { return waited; });
  const auto all = world.kubelet->metrics("ml");
  REQUIRE(all.size() == 1);
  CHECK(text_at(all[0], "/metadata/name") == "busy");
  CHECK(text_at(all[0], "/containers/0/name") == "c");
  CHECK(quantity_milli(text_at(all[0], "/containers/0/usage/cpu")) > 50);
  CHECK(quantity_milli(text_at(all[0], "/containers/0/usage/memory")) > 0);
  CHECK(world.kubelet->metrics("another").empty());
  CHECK(world.kubelet->metrics("").size() == 1);
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
