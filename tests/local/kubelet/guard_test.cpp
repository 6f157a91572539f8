// Real processes below real guards: nothing written is lost, and nothing is left behind.
#include <csignal>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop/processes.h"
#include "local/kubelet/guard_ground.h"
#include "local/kubelet/process_control.h"

namespace guard_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace std::chrono_literals;

TEST_CASE("A program's output, exit code and times are on record") {
  Ground ground;
  const auto order = ground.shell("echo out; echo err >&2; printf \"X=$X end\"; exit 7");
  const auto exit = ground.run(order);
  CHECK(exit.code == 7);
  CHECK(exit.signal == 0);
  CHECK(exit.error.empty());
  REQUIRE(exit.started);
  CHECK(*exit.started <= exit.finished);
  CHECK(ground.output(order) == "out\nerr\nX=1 end");
}

TEST_CASE("A program that is not there is named as a container runtime names it") {
  Ground ground;
  const auto missing = ground.run(ground.order({"/no/such/binary"}));
  CHECK(missing.code == 128);
  CHECK_FALSE(missing.started);
  CHECK(missing.error ==
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: "
        "runc create failed: unable to start container process: "
        "exec: \"/no/such/binary\": stat /no/such/binary: no such file or directory: unknown");
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"no-such-program", "exec: \"no-such-program\": executable file not found in $PATH"},
      {"/etc/passwd", "exec: \"/etc/passwd\": permission denied"},
      {"/tmp", "exec: \"/tmp\": is a directory"},
  };
  for (const auto& [program, wanted] : rows) {
    const auto exit = ground.run(ground.order({std::string(program)}));
    CAPTURE(exit.error);
    CHECK(exit.error.find(wanted) != std::string::npos);
  }
}

TEST_CASE("the children of a program end with it, as in a pod") {
  Ground ground;
  const auto order = ground.shell("setsid sleep 1000 & echo $!; exit 3");
  const auto exit = ground.run(order);
  CHECK(exit.code == 3);
  CHECK_FALSE(is_running(pid_in(ground.output(order))));
}

TEST_CASE("SIGTERM reaches the program, whose last words are kept") {
  Ground ground;
  const auto order =
      ground.shell("trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  const auto attempt = start_attempt(ground.loop, order, [] {});
  const auto watch = ground.watcher.watch(order.directory, [] {});
  ground.loop.run_until([&] { return ground.output(order) == "ready\n"; });
  attempt->ask_to_end();
  CHECK(ground.wait(*attempt).code == 5);
  CHECK(ground.output(order) == "ready\nbye\n");
}

TEST_CASE("200 MB without a newline arrive to the last byte") {
  Ground ground;
  auto order = ground.shell("head -c 200000000 /dev/zero | tr '\\0' x");
  order.log_file_size = off_t{1} << 30;
  CHECK(ground.run(order).code == 0);
  const auto stream = open_log(ground.watcher, order.directory, {});
  std::size_t size = 0;
  bool all_x = true;
  while (const auto part = stream->read(1 << 20)) {
    size += part->size();
    all_x = all_x && part->find_first_not_of('x') == std::string::npos;
  }
  CHECK(size == 200'000'000);
  CHECK(all_x);
}

TEST_CASE("A killed daemon's successor finds the container running, and its whole output") {
  Ground ground;
  const auto order =
      ground.shell("echo one; read -r go < " + ground.place.path() + "/go; echo two");
  REQUIRE(::mkfifo((ground.place.path() + "/go").c_str(), 0600) == 0);
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    UvLoop loop;
    const auto attempt = start_attempt(loop, order, [] {});
    loop.run_until([&] { return attempt->record().started.has_value(); });
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(daemon, nullptr, 0);
  const auto attempt = adopt_attempt(ground.loop, order.directory, [] {});
  REQUIRE(attempt);
  CHECK(attempt->record().started);
  const int go = ::open((ground.place.path() + "/go").c_str(), O_WRONLY);
  CHECK(::write(go, "x\n", 2) == 2);
  ::close(go);
  CHECK(ground.wait(*attempt).code == 0);
  CHECK(ground.output(order) == "one\ntwo\n");
}

TEST_CASE("A guard that is killed takes its program along, and the attempt counts as killed") {
  Ground ground;
  const auto order = ground.shell("sleep 1000");
  const auto attempt = start_attempt(ground.loop, order, [] {});
  ground.wait_for_start(*attempt);
  const auto record = read_attempt(order.directory);
  REQUIRE(record.guard);
  CHECK(send_signal(*record.guard, SIGKILL));
  CHECK(ground.wait(*attempt).code == 137);
  while (is_alive(*record.program)) testing::local_objects::pass(ground.loop, 5ms);
}

TEST_CASE("An attempt that no guard has begun can be made again, and is begun by none later") {
  Ground ground;
  const auto order = ground.shell("echo never");
  CHECK(adopt_attempt(ground.loop, order.directory, [] {}) == nullptr);
  const auto attempt = start_attempt(ground.loop, order, [] {});
  CHECK(ground.wait(*attempt).code == 137);
  CHECK(ground.output(order).empty());
}

TEST_CASE("A guard without a daemon starts one, outside of the tree it guards") {
  Ground ground;
  const std::string lock = ground.place.path() + "/lock";
  const std::string said = ground.place.path() + "/said";
  const int held = ::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  REQUIRE(::flock(held, LOCK_EX) == 0);
  auto order = ground.shell("sleep 1000");
  order.lock_file = lock;
  // The lock is held until the daemon has written who it is.
  order.program = {"/bin/sh", "-c",
                   cat("exec 9<>", lock, "; flock 9; echo $$ > ", said, ".new; mv ", said, ".new ",
                       said, "; exec sleep 1000")};
  order.program_environment = {"PATH=/usr/bin:/bin"};
  const auto attempt = start_attempt(ground.loop, order, [] {});
  ground.wait_for_start(*attempt);
  ::flock(held, LOCK_UN);
  ::close(held);
  const auto watch = ground.watcher.watch(ground.place.path(), [] {});
  ground.loop.run_until([&] { return ::access(said.c_str(), F_OK) == 0; });
  const pid_t daemon = pid_in(read_small_file(said));
  attempt->kill();
  CHECK(ground.wait(*attempt).code == 137);
  CHECK(is_running(daemon));
  ::kill(daemon, SIGKILL);
}

TEST_CASE("A volume appears at its path though this machine has no such path") {
  if (!why_no_mounts().empty()) return;
  Ground ground;
  const std::string data = ground.place.path() + "/data";
  const std::string file = ground.place.path() + "/file";
  make_directories(data);
  ::close(::open(file.c_str(), O_CREAT | O_WRONLY, 0600));
  auto order = ground.shell(
      "echo kept > /trainctl-test-volume/deep/x; echo said > /dev/trainctl-test-log;"
      "echo no > /trainctl-test-fixed/x; pwd; ls /trainctl-test-volume; test -x /bin/sh && echo "
      "ok");
  order.mounts = {{data, "/trainctl-test-volume/deep", false},
                  {data, "/trainctl-test-fixed", true},
                  {file, "/dev/trainctl-test-log", false}};
  order.working_directory = "/trainctl-test-volume";
  CHECK(ground.run(order).code == 0);
  const auto output = ground.output(order);
  CHECK(output.find("Read-only file system") != std::string::npos);
  CHECK(output.ends_with("/trainctl-test-volume\ndeep\nok\n"));
  CHECK(read_small_file(data + "/x") == "kept\n");
  CHECK(read_small_file(file) == "said\n");
  CHECK(::access("/trainctl-test-volume", F_OK) != 0);
  CHECK(::access("/dev/trainctl-test-log", F_OK) != 0);
}

}  // namespace guard_test
