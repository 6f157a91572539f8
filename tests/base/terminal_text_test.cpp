// Untrusted text on a terminal: what it may keep, and where it is cut.
#include "base/terminal_text.h"

#include <doctest/doctest.h>

using namespace trainctl;

TEST_CASE("a log line keeps its colours on a terminal and cannot drive it") {
  CHECK(terminal_safe("epoch 1\tloss 0.5\n") == "epoch 1\tloss 0.5\n");
  CHECK(terminal_safe("\x1b[1;32mok\x1b[0m done") == "\x1b[1;32mok\x1b[0m done");
  CHECK(terminal_safe("\x1b[31mred") == "\x1b[31mred\x1b[0m");
  CHECK(terminal_safe("\x1b[2J\x1b]0;title\x07") == "?[2J?]0;title?");
  CHECK(terminal_safe("\x9b"
                      "2J") == "?2J");
  CHECK(terminal_safe("10%\r20%") == "10% 20%");
  CHECK(terminal_safe("\x1b[31") == "?[31");
  CHECK(terminal_safe("\xE8\xAE\xAD") == "\xE8\xAE\xAD");
}

TEST_CASE("a line that is cut to a terminal's width says so and loses no colour's end") {
  CHECK(shortened("Pending", 7) == "Pending");
  CHECK(shortened("Pending", 6) == "Pendi\u2026");
  CHECK(shortened("Pending", 1) == "\u2026");
  CHECK(shortened("\x1b[36mRunning\x1b[0m", 7) == "\x1b[36mRunning\x1b[0m");
  CHECK(shortened("\x1b[36mRunning\x1b[0m", 3) == "\x1b[36mRu\u2026\x1b[0m");
  CHECK(shortened("\xE8\xAE\xAD\xE7\xBB\x83", 3) == "\xE8\xAE\xAD\u2026");
}
