// Exit codes in words: signals by their names, a program's own codes as they are.
#include "status/exit_words.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace exit_words_test {

TEST_CASE("a program's own exit code is not taken for a signal that does not exist") {
  CHECK(exit_words(139) == "exited 139 (SIGSEGV)");
  CHECK(exit_words(137, "OOMKilled") == "exited 137 (SIGKILL, OOMKilled)");
  CHECK(exit_words({}, "Evicted") == "failed (Evicted)");
  for (const int own : {0, 3, 128, 160, 255}) {
    CAPTURE(own);
    CHECK(exit_words(own, "Error") == cat("exited ", own));
    CHECK_FALSE(signal_of(own));
  }
}

TEST_CASE(
    "a signal has the name that its number has in the replica, whatever this system calls it") {
  CHECK(exit_words(129) == "exited 129 (SIGHUP)");
  CHECK(exit_words(135) == "exited 135 (SIGBUS)");
  CHECK(exit_words(138) == "exited 138 (SIGUSR1)");
  CHECK(exit_words(143) == "exited 143 (SIGTERM)");
  CHECK(exit_words(159) == "exited 159 (SIGSYS)");
}

TEST_CASE("a container's reason is no line of its own and no command to a terminal") {
  CHECK(exit_words(3, "Bad\nhint: run this\x1b[2J") == "exited 3 (Bad hint: run this?[2J)");
}

}  // namespace exit_words_test
}  // namespace trainctl::job
