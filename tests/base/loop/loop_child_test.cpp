// Children of the real loop: what they get, what comes back, and that none outlives it.
#include <array>
#include <csignal>
#include <map>
#include <utility>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/loop/loop.h"
#include "base/text/text.h"

namespace loop_child_test {

using namespace trainctl;

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

TEST_CASE("a child reads its whole input, more than a pipe holds, and may leave it unread") {
  std::signal(SIGPIPE, SIG_IGN);  // as the program does
  UvLoop loop;
  const auto fed = [&loop](const char* script) {
    ChildSpec spec = shell(script);
    spec.input = std::string(1'000'000, 'x') + "end";
    return run(loop, std::move(spec));
  };
  const auto echo = fed("cat");
  REQUIRE(echo);
  CHECK(echo->output.size() == 1'000'003);
  CHECK(echo->output.ends_with("xend"));
  const auto by_path = fed("wc -c </dev/stdin");
  REQUIRE(by_path);
  CHECK(by_path->output == "1000003\n");
  for (const char* script : {"exit 3", "exec <&-; sleep 0.1; exit 3", "head -c 9 >&2; exit 3",
                             "sleep 9 <&0 >/dev/null 2>&1 & exit 3"}) {
    CAPTURE(script);
    const auto unread = fed(script);
    REQUIRE(unread);
    CHECK(unread->status == 3);
  }
}

TEST_CASE("a missing program is reported as such, not as a failed child") {
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

// A child whose stderr is the only writing end of `life` that is left: the reading end sees its end
// when the child is gone. Its script writes a byte when it has begun.
HandlePtr spawn_watched(UvLoop& loop, Pipe& life, const std::string& script, bool& called) {
  const int own = dup(STDERR_FILENO);
  REQUIRE(dup2(life.ends[1], STDERR_FILENO) == STDERR_FILENO);
  HandlePtr child = loop.spawn(shell(script), [&](const Result<ChildExit>&) { called = true; });
  dup2(own, STDERR_FILENO);
  close(own);
  close(std::exchange(life.ends[1], -1));
  char begun = 0;
  REQUIRE(read(life.ends[0], &begun, 1) == 1);
  return child;
}

constexpr const char* k_deaf = "trap '' TERM; printf x >&2; exec sleep 1000";

TEST_CASE("a child whose handle is destroyed is ended, even one that ignores SIGTERM") {
  for (const char* script : {"printf x >&2; exec sleep 1000", k_deaf}) {
    UvLoop loop;
    Pipe life;
    bool called = false;
    HandlePtr child = spawn_watched(loop, life, script, called);
    bool ended = false;
    const HandlePtr watch =
        loop.on_fd(life.ends[0], true, false, [&](bool, bool) { ended = true; });
    child.reset();
    loop.run_until([&] { return ended; });
    CHECK_FALSE(called);
  }
}

TEST_CASE("15.10: no child outlives the loop, not even one that ignores SIGTERM") {
  Pipe life;
  bool called = false;
  {
    UvLoop loop;
    HandlePtr child = spawn_watched(loop, life, k_deaf, called);
    child.reset();
  }
  char more = 0;
  CHECK(read(life.ends[0], &more, 1) == 0);
}

}  // namespace loop_child_test
