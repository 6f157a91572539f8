// Output of a remote process that comes in pieces, before it is judged.
#include "work/session/session.h"

#include <doctest/doctest.h>

namespace trainctl::work {

namespace session_test {

// The text that is shown when it comes in pieces of this size.
std::string shown(std::string_view text, std::size_t step) {
  ShownText assembled;
  std::string all;
  for (std::size_t at = 0; at < text.size(); at += step) {
    all += terminal_safe(assembled.take(text.substr(at, step)));
  }
  return all + terminal_safe(assembled.rest());
}

TEST_CASE("a character in pieces is shown whole") {
  const std::string text = "häßlich 日本 \U0001F600 end\n";
  for (std::size_t step = 1; step < 8; ++step) CHECK(shown(text, step) == text);
}

TEST_CASE("an escape sequence in pieces is judged as a whole") {
  CHECK(shown("\x1b[31mred\x1b[0m", 2).find("\x1b[31m") != std::string::npos);
  for (std::size_t step = 1; step < 8; ++step) {
    const std::string text = shown(
        "a\x1b[2Jb\x1b]0;title\x07"
        "c\xff\x1b",
        step);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\x07') == std::string::npos);
  }
}

TEST_CASE("held-back text is bounded, also without an end") {
  ShownText text;
  CHECK(text.take("\x1b[" + std::string(1000, '1')).size() > 900);
  CHECK(text.take("\xf0\x9f").empty());
  CHECK(text.take(std::string(10, '\x80')).size() == 12);
  ShownText lines(true);
  CHECK(lines.take("begin").empty());
  CHECK(lines.take(" end\nnext") == "begin end\n");
  CHECK(lines.rest() == "next");
  CHECK(lines.take(std::string(2 << 20, 'x')).size() == 2 << 20);
}

}  // namespace session_test

}  // namespace trainctl::work
