// Whom the kubelet kills after a crash: what its container left, and nobody else.
#include <csignal>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop/processes.h"
#include "local/kubelet/guard_ground.h"
#include "local/kubelet/guard_watch.h"
#include "local/kubelet/process_control.h"

namespace process_mark_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace std::chrono_literals;

TEST_CASE("a process that outlived its group's leader and its guard ends by the guard's pipe") {
  Ground ground;
  const auto order = ground.shell("setsid sleep 1000 & echo $!; exec sleep 1000");
  const auto attempt = start_attempt(ground.loop, order, [] {});
  const auto watch = ground.watcher.watch(order.directory, [] {});
  ground.loop.run_until([&] { return ground.output(order).ends_with('\n'); });
  const auto left = process_mark(pid_in(ground.output(order)));
  REQUIRE(left);
  ground.wait_for_start(*attempt);
  CHECK(send_signal(*read_attempt(order.directory).guard, SIGKILL));
  CHECK(ground.wait(*attempt).code == 137);
  while (is_alive(*left)) testing::local_objects::pass(ground.loop, 5ms);
}

TEST_CASE("After a reboot a stranger who has the program's number is not killed") {
  Ground ground;
  const auto order = ground.shell("");
  const pid_t stranger = ::fork();
  if (stranger == 0) {
    ::setpgid(0, 0);
    for (;;) ::pause();
  }
  ::setpgid(stranger, stranger);
  auto program = *process_mark(stranger);
  auto guard = *process_mark(::getpid());
  SUBCASE("the number went to another process") {
    ++program.start;
    ++guard.start;
  }
  SUBCASE("it was another boot, or another PID namespace") {
    program.world = guard.world = "5f0c3c5e-0000-4000-8000-000000000000,pid:[1]";
  }
  write_file(cat(order.directory, "/", k_guard_file), cat(mark_text(guard), "\n"));
  write_file(cat(order.directory, "/", k_started_file), cat("17 18 ", mark_text(program), "\n"));
  const auto attempt = adopt_attempt(ground.loop, order.directory, [] {});
  REQUIRE(attempt);
  CHECK(ground.wait(*attempt).code == 137);
  CHECK(attempt->record().started);
  CHECK(::waitpid(stranger, nullptr, WNOHANG) == 0);
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
}

}  // namespace process_mark_test
