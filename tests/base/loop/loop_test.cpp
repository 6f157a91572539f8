// The event loops: time, signals, descriptors, and letting go of each from anywhere.
#include "base/loop/loop.h"

#include <array>
#include <csignal>
#include <map>
#include <stdexcept>
#include <utility>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/fakes.h"
#include "support/file_limit.h"

namespace loop_test {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

struct Pipe {
  Pipe() { REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  std::array<int, 2> ends{};
};

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
  HandlePtr other;
  const std::string kept(100, 'k');
  own = loop.after(1ms, [&, kept] {
    own.reset();
    other.reset();
    called += kept == std::string(100, 'k') ? 10 : 0;  // the callable outlives its handle
  });
  // Begun later, so that it is due later on a busy machine, too.
  other = loop.after(2ms, [&] { ++called; });
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

TEST_CASE("a reader who goes is noticed at once, beside a watch on the same descriptor") {
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

TEST_CASE("a command under nohup does not end with its terminal") {
  UvLoop loop;
  int hung_up = 0;
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const HandlePtr ignored = loop.on_signal(SIGHUP, [&] { ++hung_up; });
  CHECK(ignored == nullptr);
  raise(SIGHUP);
  std::signal(SIGHUP, SIG_DFL);
  {
    const HandlePtr watched = loop.on_signal(SIGHUP, [&] { ++hung_up; });
    raise(SIGHUP);
    loop.run_until([&] { return hung_up > 0; });
  }
  CHECK(hung_up == 1);
  std::signal(SIGHUP, before);
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

TEST_CASE("too many open files do not hide that a reader has gone, nor read what is not there") {
  UvLoop loop;
  Pipe pipe;
  loop.run_until([] { return true; });
  const int next = dup(pipe.ends[0]);
  close(next);
  const FileLimit limit(static_cast<rlim_t>(next));
  bool called = false;
  HandlePtr input = loop.on_readable(pipe.ends[0], [&] { called = true; });
  bool gone = false;
  const HandlePtr reader = loop.on_reader_gone(pipe.ends[1], [&] { gone = true; });
  bool later = false;
  const HandlePtr timer = loop.after(50ms, [&] { later = true; });
  loop.run_until([&] { return later; });
  CHECK_FALSE(called);
  CHECK_FALSE(gone);
  input.reset();
  close(std::exchange(pipe.ends[0], -1));
  loop.run_until([&] { return gone; });
}

TEST_CASE("a descriptor is watched although too many files are open, and nothing is thrown") {
  UvLoop loop;
  const Pipe pipe;
  loop.run_until([] { return true; });
  const int next = dup(pipe.ends[0]);
  close(next);
  const FileLimit limit(static_cast<rlim_t>(next));
  REQUIRE(write(pipe.ends[1], "x", 1) == 1);
  int calls = 0;
  HandlePtr watch;
  REQUIRE_NOTHROW(watch = loop.on_readable(pipe.ends[0], [&] { ++calls; }));
  loop.run_until([&] { return calls > 2; });
}

}  // namespace loop_test
