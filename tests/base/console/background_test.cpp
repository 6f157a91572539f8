// After Ctrl-Z and `bg` the terminal belongs to the shell: nobody may draw over its prompt.
#include <array>
#include <string>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/console/system_console.h"
#include "support/fakes.h"

using namespace trainctl;

TEST_CASE("the status line stays away while the shell has the terminal, and comes back with it") {
  class Terminal : public testing::BufferConsole {
   public:
    bool has_terminal() override { return owned; }
    bool owned = true;
  };
  Terminal console;
  console.out_is_tty = console.err_is_tty = console.redraws = true;
  console.set_status("Running for 1s");
  console.owned = false;
  console.stderr_text.clear();
  console.set_status("Running for 2s");
  console.notice("ddp: Succeeded");
  CHECK(console.stderr_text == "ddp: Succeeded\n");
  console.owned = true;
  console.stderr_text.clear();
  console.set_status("Running for 3s");
  CHECK(console.stderr_text == "Running for 3s");
}

// A process that `bg` left in the background of its terminal, as after Ctrl-Z.
TEST_CASE("a process in the background does not draw over the prompt") {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(unlockpt(terminal) == 0);
  const std::string name = ptsname(terminal);
  const pid_t shell = fork();
  REQUIRE(shell >= 0);
  if (shell == 0) {
    setsid();
    const int user = open(name.c_str(), O_RDWR);  // it becomes the controlling terminal
    const auto talk = [user](const char* status) {
      SystemConsole console(Environment({{"TERM", "xterm"}, {"COLUMNS", "80"}}),
                            {user, user, user});
      console.set_status(status);
      console.notice("said");
    };
    talk("foreground");
    const pid_t job = fork();
    if (job == 0) {
      setpgid(0, 0);
      talk("background");
      _exit(0);
    }
    waitpid(job, nullptr, 0);
    _exit(0);
  }
  REQUIRE(waitpid(shell, nullptr, 0) == shell);
  std::string text;
  std::array<char, 4096> part;
  // The terminal hands over what was written piece by piece, and an error once all is read.
  for (ssize_t size = 0; (size = read(terminal, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  close(terminal);
  CHECK(text.find("foreground") != std::string::npos);
  CHECK(text.find("background") == std::string::npos);
  CHECK(text.rfind("said") > text.find("said"));
}
