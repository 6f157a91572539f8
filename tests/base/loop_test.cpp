// The event loops: time, children, signals, and letting go of each from anywhere.
#include "base/loop.h"

#include <array>
#include <csignal>
#include <map>
#include <stdexcept>
#include <utility>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "support/fakes.h"

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

namespace {

ChildSpec shell(const std::string& script) {
  ChildSpec spec;
  spec.argv = {"sh", "-c", script};
  spec.environment = Environment({{"PATH", "/usr/bin:/bin"}, {"GREETING", "hello"}});
  return spec;
}

Result<ChildExit> run(UvLoop& loop, ChildSpec spec) {
  return await<Result<ChildExit>>(
      loop, [&](auto done) { return loop.spawn(std::move(spec), std::move(done)); });
}

struct Pipe {
  Pipe() { REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  std::array<int, 2> ends{};
};

}  // namespace

TEST_CASE("timers fire in order of their time, never early, and not from within after()") {
  UvLoop loop;
  std::string order;
  const Time began = loop.now();
  Duration late{};
  const HandlePtr second = loop.after(20ms, [&] {
    order += 'c';
    late = loop.now() - began;
  });
  const HandlePtr first = loop.after(5ms, [&] { order += 'b'; });
  const HandlePtr now = loop.after(0ms, [&] { order += 'a'; });
  CHECK(order.empty());
  loop.run_until([&] { return order.size() == 3; });
  CHECK(order == "abc");
  CHECK(late >= 20ms);
}

TEST_CASE("a chain of immediate callbacks does not keep sockets waiting") {
  UvLoop loop;
  const Pipe pipe;
  REQUIRE(write(pipe.ends[1], "x", 1) == 1);
  bool seen = false;
  HandlePtr next;
  std::function<void()> again = [&] { next = loop.after(0ms, again); };
  again();
  const HandlePtr watch =
      loop.on_fd(pipe.ends[0], true, false, [&](bool readable, bool) { seen = readable; });
  loop.run_until([&] { return seen; });
}

TEST_CASE("a destroyed handle is silent, and a callback may destroy its own and others") {
  UvLoop loop;
  int called = 0;
  HandlePtr own;
  HandlePtr other = loop.after(2ms, [&] { ++called; });
  const std::string kept(100, 'k');
  own = loop.after(1ms, [&, kept] {
    own.reset();
    other.reset();
    called += kept == std::string(100, 'k') ? 10 : 0;  // the callable outlives its handle
  });
  bool over = false;
  const HandlePtr end = loop.after(10ms, [&] { over = true; });
  loop.run_until([&] { return over; });
  CHECK(called == 10);
}

TEST_CASE("a descriptor can be watched again from within its own callback") {
  UvLoop loop;
  const Pipe pipe;
  HandlePtr watch;
  bool written = false;
  watch = loop.on_fd(pipe.ends[1], false, true, [&](bool, bool writable) {
    written = writable;
    watch.reset();
    watch = loop.on_fd(pipe.ends[1], false, true, [&](bool, bool) { watch.reset(); });
  });
  loop.run_until([&] { return written && !watch; });
}

TEST_CASE("a reader who goes is told at once, beside a watch on the same descriptor") {
  UvLoop loop;
  Pipe pipe;
  const int flags = fcntl(pipe.ends[1], F_GETFL);
  int gone = 0;
  const HandlePtr reader = loop.on_reader_gone(pipe.ends[1], [&] { ++gone; });
  CHECK(fcntl(pipe.ends[1], F_GETFL) == flags);  // others may share it
  bool writable = false;
  HandlePtr other = loop.on_fd(pipe.ends[1], false, true, [&](bool, bool) { writable = true; });
  loop.run_until([&] { return writable; });
  CHECK(gone == 0);
  other.reset();
  close(std::exchange(pipe.ends[0], -1));
  loop.run_until([&] { return gone > 0; });
  bool later = false;
  const HandlePtr timer = loop.after(5ms, [&] { later = true; });
  loop.run_until([&] { return later; });
  CHECK(gone == 1);
}

TEST_CASE("of a socket the reader has gone when it is closed, not when he has said all he has") {
  UvLoop loop;
  Pipe pair;
  close(pair.ends[0]);
  close(pair.ends[1]);
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.ends.data()) == 0);
  bool gone = false;
  const HandlePtr reader = loop.on_reader_gone(pair.ends[1], [&] { gone = true; });
  shutdown(pair.ends[0], SHUT_WR);
  bool later = false;
  const HandlePtr timer = loop.after(5ms, [&] { later = true; });
  loop.run_until([&] { return later; });
  CHECK_FALSE(gone);
  close(std::exchange(pair.ends[0], -1));
  loop.run_until([&] { return gone; });
}

TEST_CASE("files and terminals have no reader who could go") {
  UvLoop loop;
  for (const char* path : {"/dev/null", "/proc/self/exe", "/dev/ptmx"}) {
    const int file = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
    REQUIRE(file >= 0);
    CHECK_FALSE(loop.on_reader_gone(file, [] {}));
    close(file);
  }
}

TEST_CASE("signals reach every watcher that still lives") {
  UvLoop loop;
  int first = 0;
  int second = 0;
  const HandlePtr one = loop.on_signal(SIGUSR1, [&] { ++first; });
  HandlePtr two = loop.on_signal(SIGUSR1, [&] {
    ++second;
    two.reset();
  });
  raise(SIGUSR1);
  loop.run_until([&] { return first == 1 && second == 1; });
  raise(SIGUSR1);
  loop.run_until([&] { return first == 2; });
  CHECK(second == 1);
}

TEST_CASE("a child gets its own environment and directory, and its output comes back") {
  UvLoop loop;
  ChildSpec spec = shell("printf '%s ' \"$GREETING\" \"$HOME\"; pwd; exit 7");
  spec.directory = "/usr";
  const auto child = run(loop, spec);
  REQUIRE(child);
  CHECK(child->output == "hello  /usr\n");
  CHECK(child->status == 7);
}

TEST_CASE("a child that a signal ended says which") {
  UvLoop loop;
  const auto child = run(loop, shell("kill -KILL $$"));
  REQUIRE(child);
  CHECK(child->status == 128 + SIGKILL);
}

TEST_CASE("a child's arguments stay as they are, and its stdin is empty") {
  UvLoop loop;
  ChildSpec spec = shell("cat; printf '[%s]' \"$@\"");
  spec.argv.insert(spec.argv.end(), {"name", "a b", "$HOME", ""});
  const auto child = run(loop, spec);
  REQUIRE(child);
  CHECK(child->output == "[a b][$HOME][]");
}

TEST_CASE("a program that is not there is told as such, not as a failed child") {
  UvLoop loop;
  ChildSpec spec = shell("");
  spec.argv[0] = "no-such-plugin";
  const auto on_path = run(loop, spec);
  REQUIRE_FALSE(on_path);
  CHECK(on_path.error().code == Code::not_found);
  CHECK(on_path.error().message == "program 'no-such-plugin' was not found on PATH");
  spec.argv[0] = "./no-such-plugin";
  const auto by_path = run(loop, spec);
  REQUIRE_FALSE(by_path);
  CHECK(by_path.error().code == Code::not_found);
  // A working tree does not decide what runs: an empty PATH entry is not the current directory.
  spec.argv[0] = "sh";
  spec.environment = Environment(std::map<std::string, std::string, std::less<>>{{"PATH", ":bin"}});
  spec.directory = "/";
  CHECK_FALSE(run(loop, spec));
}

TEST_CASE("a child has the three standard descriptors, and no socket of ours") {
  UvLoop loop;
  int ends[2] = {-1, -1};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  const std::string script = cat("for fd in 0 1 2 ", ends[0], " ", ends[1],
                                 "; do [ -e /proc/$$/fd/$fd ] && echo $fd; done");
  const auto child = run(loop, shell(script));
  close(ends[0]);
  close(ends[1]);
  REQUIRE(child);
  CHECK(child->output == "0\n1\n2\n");
}

TEST_CASE("a child that prints without end is stopped") {
  UvLoop loop;
  ChildSpec spec = shell("yes 2>/dev/null");
  spec.output_limit = 100'000;
  const auto child = run(loop, spec);
  REQUIRE_FALSE(child);
  CHECK(child.error().code == Code::error);
}

TEST_CASE("a child whose handle is destroyed is ended") {
  UvLoop loop;
  // The reading end sees its end when the child, which holds the only other one, is gone.
  Pipe life;
  ChildSpec spec = shell("exec sleep 1000");
  fcntl(life.ends[1], F_SETFD, 0);
  bool called = false;
  HandlePtr child = loop.spawn(spec, [&](const Result<ChildExit>&) { called = true; });
  fcntl(life.ends[1], F_SETFD, FD_CLOEXEC);
  close(std::exchange(life.ends[1], -1));
  bool ended = false;
  const HandlePtr watch = loop.on_fd(life.ends[0], true, false, [&](bool, bool) { ended = true; });
  child.reset();
  loop.run_until([&] { return ended; });
  CHECK_FALSE(called);
}

TEST_CASE("scripted time jumps to what is next, over what was cancelled") {
  FakeLoop loop;
  const Time began = loop.now();
  HandlePtr cancelled = loop.after(1h, [] {});
  bool done = false;
  const HandlePtr timer = loop.after(2h, [&] { done = true; });
  cancelled.reset();
  loop.run_until([&] { return done; });
  CHECK(loop.now() - began == 2h);
  CHECK_THROWS_AS(loop.run_until([] { return false; }), std::logic_error);
}

TEST_CASE("scripted signals and children behave like the real ones") {
  FakeLoop loop;
  int signals = 0;
  const HandlePtr watch = loop.on_signal(SIGINT, [&] { ++signals; });
  loop.raise_after(1s, SIGINT);
  loop.run_until([&] { return signals == 1; });

  loop.children = {{"aws", 3, "token", false, 2s}, {"gcloud", 0, "", true, {}}};
  ChildSpec spec;
  spec.argv = {"aws", "eks"};
  const Time began = loop.now();
  const auto start = [&](auto done) { return loop.spawn(spec, done); };
  const auto child = await<Result<ChildExit>>(loop, start);
  REQUIRE(child);
  CHECK(child->status == 3);
  CHECK(child->output == "token");
  CHECK(loop.now() - began == 2s);
  spec.argv = {"gcloud"};
  CHECK(await<Result<ChildExit>>(loop, start).error().code == Code::not_found);
  CHECK(loop.spawned.size() == 2);
}
