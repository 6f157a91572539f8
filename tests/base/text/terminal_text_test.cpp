// Untrusted text on a terminal: what it may keep, and where it is cut.
#include "base/text/terminal_text.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/yaml.h"

namespace TEST_FILE {

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

TEST_CASE("no text reorders its line on a terminal, nor brings a control of eight bits") {
  // ALM, LRM, RLM, LRE to RLO, LRI to PDI; the last two are CSI and OSC as code points.
  for (const char* hostile :
       {"\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\u2066",
        "\u2067", "\u2068", "\u2069", "\xC2\x9B", "\xC2\x9D"}) {
    const std::string text = std::string("loss ") + hostile + "0.5";
    CHECK(terminal_safe(text) == "loss ?0.5");
    CHECK(terminal_safe_line(text) == "loss ?0.5");
    CHECK(printable_line(text) == "loss ?0.5");
  }
}

TEST_CASE("data on a terminal cannot drive it, and keeps its value") {
  const Json value = {{"message",
                       "a\u202Eb\xC2\x9B"
                       "2J\x7f\u061C\n\u8BAD"},
                      {"\u2066key", "x"}};
  for (const std::string& text : {dump(value, 2), to_yaml(value)}) {
    const std::string safe = terminal_safe_json(text);
    CHECK(terminal_safe(safe) == safe);
    CHECK(*from_yaml(safe, "report") == value);
    CHECK(safe.find("\u8BAD") != std::string::npos);
  }
}

TEST_CASE("a line that is cut to a terminal's width says so and loses no colour's end") {
  CHECK(shortened("Pending", 7) == "Pending");
  CHECK(shortened("Pending", 6) == "Pendi\u2026");
  CHECK(shortened("Pending", 1) == "\u2026");
  CHECK(shortened("\x1b[36mRunning\x1b[0m", 7) == "\x1b[36mRunning\x1b[0m");
  CHECK(shortened("\x1b[36mRunning\x1b[0m", 3) == "\x1b[36mRu\u2026\x1b[0m");
  CHECK(shortened("\xE8\xAE\xAD\xE7\xBB\x83", 3) == "\xE8\xAE\xAD\u2026");
}

}  // namespace TEST_FILE
