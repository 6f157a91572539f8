// A container that needs more memory than its limit would end on a real node, and go on here.
#include "local/kubelet/memory_limit.h"

#include <csignal>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/value/quantity.h"
#include "local/kubelet/guard_ground.h"
#include "local/kubelet/kubelet_world.h"

namespace memory_limit_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing;

constexpr std::int64_t k_mebibyte = 1 << 20;
constexpr std::string_view k_takes_64_mebibytes =
    "x=$(head -c 67108864 /dev/zero | tr '\\0' a); echo big; sleep 1000";

TEST_CASE("A program that exceeds its memory limit is killed with all it started, and it is said") {
  Ground ground;
  auto order = ground.shell(cat("sleep 1000 & ", k_takes_64_mebibytes));
  order.memory_limit = 16 * k_mebibyte;
  const auto exit = ground.run(order);
  CHECK(exit.out_of_memory);
  CHECK(exit.code == 137);
  CHECK(exit.signal == SIGKILL);
  const auto read = parse_exit(exit_text(exit));
  REQUIRE(read);
  CHECK(read->out_of_memory);
}

TEST_CASE("A program within its memory limit ends as it wants") {
  Ground ground;
  auto order = ground.shell("sleep 1.2; exit 3");
  order.memory_limit = 64 * k_mebibyte;
  const auto exit = ground.run(order);
  CHECK_FALSE(exit.out_of_memory);
  CHECK(exit.code == 3);
}

TEST_CASE("Memory that a process shares with its children counts once") {
  const std::size_t size = 64 * k_mebibyte;
  void* pages = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  std::memset(pages, 1, size);
  std::vector<pid_t> processes{::getpid()};
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      while (true) ::pause();
    }
    processes.push_back(pid);
  }
  const std::int64_t together = memory_of(processes);
  for (std::size_t i = 1; i < processes.size(); ++i) {
    ::kill(processes[i], SIGKILL);
    ::waitpid(processes[i], nullptr, 0);
  }
  const std::int64_t alone = memory_of({processes.data(), 1});
  ::munmap(pages, size);
  CHECK(alone > 64 * k_mebibyte);
  CHECK(together < alone + 32 * k_mebibyte);
}

}  // namespace memory_limit_test

namespace trainctl::testing {

// A user who looks for the replica that lags needs its use of CPU and memory.
namespace memory_limit_test {

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

}  // namespace memory_limit_test

}  // namespace trainctl::testing
