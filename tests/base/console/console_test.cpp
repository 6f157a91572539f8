// The streams: full writes, honest failures, talk that can be silenced, colour only where wanted.
#include "base/console/console.h"

#include <array>
#include <csignal>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/console/system_console.h"
#include "base/text/text.h"
#include "support/fakes.h"

namespace console_test {

using namespace trainctl;

// A pipe whose ends close with it; SIGPIPE is off, as main keeps it.
struct Pipe {
  Pipe() {
    std::signal(SIGPIPE, SIG_IGN);
    REQUIRE(pipe(ends.data()) == 0);
  }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends[0]; }
  int writer() const { return ends[1]; }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }
  std::string drained() {
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t count = 0; (count = read(reader(), buffer.data(), buffer.size())) > 0;) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

  std::array<int, 2> ends{-1, -1};

 private:
  void close_end(std::size_t which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
};

TEST_CASE("a reader who does not read makes an offer wait, not the program") {
  Pipe pipe;
  SystemConsole console(Environment{}, {0, pipe.writer(), 2});
  const std::string text(std::size_t{1} << 20U, 'x');
  std::size_t taken = 0;
  for (;;) {
    const auto now = console.offer(std::string_view(text).substr(taken));
    REQUIRE(now);
    if (*now == 0) break;
    taken += *now;
  }
  CHECK(taken > 0);
  CHECK(taken < text.size());
  // The descriptor we were given is shared with others: it must still be one that blocks.
  CHECK((fcntl(pipe.writer(), F_GETFL) & O_NONBLOCK) == 0);
}

TEST_CASE("an offer to a reader who is gone says so") {
  Pipe pipe;
  pipe.close_reader();
  SystemConsole console(Environment{}, {0, pipe.writer(), 2});
  const auto offered = console.offer("text");
  REQUIRE_FALSE(offered);
  CHECK(offered.error().code == Code::broken_pipe);
}

TEST_CASE("every byte reaches a slow reader, even through a pipe that does not block") {
  Pipe pipe;
  fcntl(pipe.writer(), F_SETFL, fcntl(pipe.writer(), F_GETFL) | O_NONBLOCK);
  std::string received;
  std::thread reader([&] { received = pipe.drained(); });
  const std::string sent(1 << 20, 'x');
  SystemConsole console(Environment{}, {0, pipe.writer(), 2});
  const Status status = console.out(sent);
  pipe.close_writer();
  reader.join();
  CHECK(status);
  CHECK(received == sent);
}

TEST_CASE("`| head` ends the program quietly, not with an error") {
  Pipe pipe;
  pipe.close_reader();
  SystemConsole console(Environment{}, {0, pipe.writer(), 2});
  const Status status = console.out("line\n");
  REQUIRE_FALSE(status);
  CHECK(status.error().code == Code::broken_pipe);
}

TEST_CASE("a full disk is reported, so that no truncated log passes for a whole one") {
  const int full = open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  SystemConsole console(Environment{}, {0, full, 2});
  const Status status = console.out("line\n");
  close(full);
  REQUIRE_FALSE(status);
  CHECK(status.error().code == Code::error);
  CHECK(status.error().message == "cannot write to stdout: No space left on device");
}

TEST_CASE("a manifest on stdin is read whole, and one beyond the limit refused") {
  Pipe pipe;
  REQUIRE(write(pipe.writer(), "first\nrest\nmore", 15) == 15);
  pipe.close_writer();
  SystemConsole console(Environment{}, {pipe.reader(), 1, 2});
  CHECK(console.read_line() == "first");
  const auto beyond = console.read_all(8);
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().code == Code::usage);
  CHECK(console.read_line() == std::nullopt);
  CHECK(*console.read_all(8) == "");
}

TEST_CASE("a pipe gets no colour and no prompt") {
  Pipe pipe;
  SystemConsole console(Environment({{"TERM", "xterm"}, {"COLUMNS", "132"}}),
                        {pipe.reader(), pipe.writer(), pipe.writer()});
  CHECK_FALSE(console.in_is_tty);
  CHECK_FALSE(console.out_is_tty);
  CHECK_FALSE(console.colour);
  CHECK(console.width == 132);
  CHECK(console.painted("x", Colour::red) == "x");
}

TEST_CASE("a terminal gets colour unless NO_COLOR or its TERM says no") {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(unlockpt(terminal) == 0);
  const int user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(user >= 0);
  const auto coloured = [user](std::map<std::string, std::string, std::less<>> variables) {
    return SystemConsole(Environment(std::move(variables)), {user, user, user}).colour;
  };
  CHECK(coloured({{"TERM", "xterm"}}));
  CHECK(coloured({{"TERM", "xterm"}, {"NO_COLOR", ""}}));
  CHECK_FALSE(coloured({{"TERM", "xterm"}, {"NO_COLOR", "1"}}));
  CHECK_FALSE(coloured({{"TERM", "dumb"}}));
  CHECK_FALSE(coloured({}));
  close(user);
  close(terminal);
}

TEST_CASE("an agent at a terminal gets neither colour nor questions nor redrawn lines") {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(unlockpt(terminal) == 0);
  const int user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(user >= 0);
  const auto is_plain = [user](const char* name, const char* value) {
    SystemConsole console(
        Environment({{"TERM", "xterm"}, {"TERM_PROGRAM", "ghostty"}, {name, value}}),
        {user, user, user});
    const bool told = console.tab_progress == Console::TabProgress::unknown;
    CHECK(console.colour == can_ask(console));
    CHECK(console.colour == console.shows_status());
    CHECK(console.colour == !told);
    CHECK(console.out_is_tty);
    return !console.colour;
  };
  CHECK(is_plain("AI_AGENT", "1"));
  CHECK(is_plain("AGENT", "goose"));
  for (const char* off : {"", "0", "false"}) CHECK_FALSE(is_plain("AI_AGENT", off));
  CHECK_FALSE(is_plain("AGENTS", "1"));
  close(user);
  close(terminal);
}

TEST_CASE("Ctrl-C at a question ends the command, and no later answer deletes anything") {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const int user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  REQUIRE(user >= 0);
  SystemConsole console(Environment({{"TERM", "xterm"}, {"LANG", "C"}}), {user, user, user});
  UvLoop loop;
  const HandlePtr pressed = loop.after({}, [] { ::raise(SIGINT); });
  const auto answer = confirmed(console, loop, "Delete 2 jobs");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::interrupted);
  REQUIRE(write(terminal, "y\n", 2) == 2);
  UvLoop later;
  CHECK(*confirmed(console, later, "Delete 2 jobs"));
  close(user);
  close(terminal);
}

TEST_CASE("an agent's change needs --yes, and others are asked where they can answer") {
  testing::BufferConsole console;
  UvLoop loop;
  CHECK(*consented(console, loop, Environment{}, "Delete 2 jobs"));
  const auto refused =
      consented(console, loop, Environment({{"AI_AGENT", "1"}, {"AGENT", ""}}), "Delete 2 jobs");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "an agent cannot be asked: Delete 2 jobs?");
  CHECK(console.stderr_text.empty());
}

TEST_CASE("--quiet drops notices and keeps warnings") {
  testing::BufferConsole console;
  console.notice("2 pods");
  console.quiet = true;
  console.notice("not this");
  console.warn("no backoff limit");
  CHECK(console.stderr_text == "2 pods\nwarning: no backoff limit\n");
  CHECK(console.stdout_text.empty());
}

TEST_CASE("a warning in a file holds no escape codes though stdout is a terminal") {
  testing::BufferConsole console;
  console.colour = true;
  console.warn("x");
  CHECK(console.stderr_text == "warning: x\n");
  console.err_is_tty = true;
  console.warn("y");
  CHECK(console.stderr_text == "warning: x\n\x1b[33mwarning:\x1b[0m y\n");
}

constexpr std::string_view k_erased = "\r\x1b[J";

// A terminal of 20 columns and 4 lines that both streams go to.
void make_terminal(testing::BufferConsole& console) {
  console.out_is_tty = console.err_is_tty = console.redraws = true;
  console.width = 20;
  console.height = 4;
}

TEST_CASE("the status line never mixes with other lines: it goes before them and comes back") {
  testing::BufferConsole console;
  make_terminal(console);
  console.set_status("Pending for 3s");
  console.notice("ddp: Pending");
  CHECK(console.stderr_text == cat("Pending for 3s", k_erased, "ddp: Pending\n", "Pending for 3s"));
  console.stderr_text.clear();
  CHECK(console.out("epoch 1\n"));
  CHECK(console.stdout_text == "epoch 1\n");
  CHECK(console.stderr_text == cat(k_erased, "Pending for 3s"));
  console.stderr_text.clear();
  console.set_status("");
  CHECK(console.stderr_text == k_erased);
}

TEST_CASE("the status line waits for the end of a line that is written in pieces") {
  testing::BufferConsole console;
  make_terminal(console);
  console.set_status("Running");
  console.stderr_text.clear();
  CHECK(console.out("epoch"));
  CHECK(console.stderr_text == k_erased);
  CHECK(console.out(" 1\n"));
  CHECK(console.stderr_text == cat(k_erased, "Running"));
}

TEST_CASE("the status line is cut to the terminal and cannot drive it") {
  testing::BufferConsole console;
  make_terminal(console);
  console.set_status("worker-1: ImagePullBackOff\x1b[2J");
  CHECK(console.stderr_text == "worker-1: ImagePul\u2026");
}

TEST_CASE(
    "no status line where it would tear others or be noise: `| tee`, dumb terminals, --quiet") {
  for (bool testing::BufferConsole::*fact :
       {&testing::BufferConsole::out_is_tty, &testing::BufferConsole::err_is_tty,
        &testing::BufferConsole::redraws, &testing::BufferConsole::quiet}) {
    testing::BufferConsole console;
    make_terminal(console);
    console.*fact = !(console.*fact);
    console.set_status("Running");
    CHECK(console.stderr_text.empty());
  }
}

TEST_CASE("rows are replaced in place, below notices, and stay at the end") {
  testing::BufferConsole console;
  make_terminal(console);
  CHECK(console.put_rows("NAME\nddp\n"));
  CHECK(console.put_rows("NAME\nddp\n"));  // nothing new
  CHECK(console.put_rows("NAME\nddp 1\n"));
  CHECK(console.stdout_text == "NAME\nddp\n\r\x1b[2K\x1b[A\x1b[2K\x1b[A\x1b[JNAME\nddp 1\n");
  console.stdout_text.clear();
  console.notice("gone");
  CHECK(console.stdout_text == "\r\x1b[2K\x1b[A\x1b[2K\x1b[A\x1b[JNAME\nddp 1\n");
  console.stdout_text.clear();
  console.unpin();
  console.err("error: x\n");
  CHECK(console.stdout_text.empty());
}

TEST_CASE("more rows than the screen has lines are counted, for the screen would scroll") {
  testing::BufferConsole console;
  make_terminal(console);
  CHECK(console.put_rows("NAME\na\nb\nc with a long message\n"));
  CHECK(console.stdout_text == "NAME\na\n\u2026 2 more\n");
}

TEST_CASE("in a file, too, a server's words stay on their line and hold no escape codes") {
  testing::BufferConsole console;
  console.notice("pulling \x1b[31mred\x1b[0m \x1b[2J\nerror: forged");
  console.warn("\x1b]0;x\x07\nerror: forged");
  CHECK(console.stderr_text == "pulling red ?[2J error: forged\nwarning: ?]0;x? error: forged\n");
  console.stderr_text.clear();
  console.err_is_tty = true;
  console.notice("a\nerror: forged");
  CHECK(console.stderr_text == "a error: forged\n");
}

TEST_CASE("a report turns no line of a terminal around, and is its own bytes in a file") {
  for (const bool terminal : {true, false}) {
    testing::BufferConsole console;
    console.out_is_tty = terminal;
    CHECK(console.out_json("{\"line\": \"a\u202eb\"}\n"));
    CHECK(console.stdout_text ==
          (terminal ? "{\"line\": \"a\\u202eb\"}\n" : "{\"line\": \"a\u202eb\"}\n"));
  }
}

TEST_CASE("a notice with words of the server cannot drive the terminal") {
  testing::BufferConsole console;
  make_terminal(console);
  console.notice("pulling \x1b[2J");
  console.warn("\x1b]0;x\x07");
  CHECK(console.stderr_text == "pulling ?[2J\nwarning: ?]0;x?\n");
}

TEST_CASE("the fake console breaks its pipe where a test wants it") {
  testing::BufferConsole console;
  console.pipe_breaks_after = 3;
  CHECK(console.out("ab"));
  CHECK(console.out("cd").error().code == Code::broken_pipe);
  CHECK(console.stdout_text == "abc");
}

}  // namespace console_test
