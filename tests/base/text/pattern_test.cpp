// Patterns decide which lines a user sees, so a wrong match hides a failure.
#include "base/text/pattern.h"

#include <string>

#include <doctest/doctest.h>

namespace trainctl {
namespace pattern_test {

Pattern pattern(std::string_view text, LetterCase letters = LetterCase::matters) {
  const auto made = Pattern::make(text, letters);
  REQUIRE(made);
  return *made;
}

TEST_CASE("colours and earlier states of a line do not hide a word from its beginning") {
  const auto pattern = Pattern::make("^ERROR red$");
  REQUIRE(pattern);
  CHECK(pattern->found_in("\x1b[31mERROR\x1b[0m red"));
  CHECK(pattern->found_in("\x1b[1;31mERROR\x1b[m\x1b[K red\r"));
  CHECK(pattern->found_in(" 50%|##| 5/10\r\x1b[KERROR red\r 60%|##| 6/10"));
  CHECK(!pattern->found_in("an ERROR red"));
}

TEST_CASE("patterns find what RE2's syntax says, in lines with and without malformed bytes") {
  struct Row {
    std::string_view pattern, line;
    bool found;
  };
  const Row rows[] = {
      {"loss", "epoch 1 loss=0.5", true},
      {"Loss", "epoch 1 loss=0.5", false},
      {"^epoch [0-9]+$", "epoch 12", true},
      {"^epoch [0-9]+$", " epoch 12", false},
      {"nan|inf", "loss=inf", true},
      {R"(\bnan\b)", "banana", false},
      {"[[:digit:]]{2,}", "7 of 12", true},
      {"a{", "a{", true},
      {"^.$", "é", true},
      {"[éè]", "caf\xC3\xA9", true},
      {"loss.*nan", "loss \xff nan", true},
      {"^loss .. nan$", "loss \xC3\xFF nan", true},
      {"é", "\xE9", false},
      {R"(loss\tnan)", "loss\tnan", true},
      {"^$", "", true},
      {"x", "", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.line);
    CHECK(pattern(row.pattern).found_in(row.line) == row.found);
  }
  CHECK(pattern("CAFÉ", LetterCase::ignored).found_in("café"));
  const std::string_view with_nul("a\0b", 3);
  CHECK(pattern("a.b").found_in(with_nul));
}

TEST_CASE("an invalid pattern is refused in one line that says why") {
  struct Row {
    std::string_view pattern, message;
  };
  const Row rows[] = {
      {"", "the pattern is empty"},
      {"(loss", "the pattern `(loss` is not a regular expression: missing )"},
      {"loss)", "the pattern `loss)` is not a regular expression: unexpected )"},
      {"[a", "the pattern `[a` is not a regular expression: missing ]"},
      {"x(*)",
       "the pattern `x(*)` is not a regular expression: no argument for repetition "
       "operator: *"},
      {R"((a)\1)",
       R"(the pattern `(a)\1` is not a regular expression: invalid escape sequence: \1)"},
      {"(?=a)", "the pattern `(?=a)` is not a regular expression: invalid perl operator: (?="},
      {"a\xff", "the pattern `a?` is not a regular expression: invalid UTF-8"},
      {"a\n[", "the pattern `a [` is not a regular expression: missing ]: ["},
      {"a{1001}",
       "the pattern `a{1001}` is not a regular expression: invalid repetition size: "
       "{1001}"},
      {"(.{0,300}){3}x", "the pattern `(.{0,300}){3}x` is too large"},
      {R"((\pL{100}){10})", R"(the pattern `(\pL{100}){10}` is not a regular expression: pattern )"
                            "too large - compile failed"},
  };
  for (const Row& row : rows) {
    const auto made = Pattern::make(row.pattern);
    REQUIRE_FALSE(made);
    CHECK(made.error().code == Code::usage);
    CHECK(made.error().message == row.message);
  }
}

TEST_CASE("a group is the first one of the pattern, or the whole match") {
  CHECK(pattern("loss=([0-9.]+)").group("epoch 1 loss=0.5 acc=1") == "0.5");
  CHECK(pattern("loss=[0-9.]+").group("epoch 1 loss=0.5 acc=1") == "loss=0.5");
  CHECK(pattern("(?:a|b)=(.)(.)").group("b=xy") == "x");
  CHECK(pattern("loss=(.*)").group("\xff loss=\xfe\xff") == "\xfe\xff");
  CHECK(pattern("a=()").group("a=") == "");
  CHECK_FALSE(pattern("a=(.)|b=.").group("b=1"));
  CHECK_FALSE(pattern("loss=(.*)").group("accuracy=1"));
}

TEST_CASE("all matches of a line are found once, and empty ones are none") {
  using Matches = std::vector<Match>;
  CHECK(pattern("a+").matches("aab a") == Matches{{0, 2}, {4, 5}});
  CHECK(pattern("a*").matches("baab") == Matches{{1, 3}});
  CHECK(pattern("^a").matches("aa") == Matches{{0, 1}});
  CHECK(pattern("é").matches("\xff\xC3\xA9") == Matches{{1, 3}});
  CHECK(pattern("x*").matches("").empty());
  CHECK(pattern("x").matches("abc").empty());
}

TEST_CASE("no pattern keeps the program busy") {
  std::string line(std::size_t{1} << 20U, 'a');
  CHECK_FALSE(pattern("(a*)*b").found_in(line));
  CHECK_FALSE(pattern("(a|aa)+$b").found_in(line));
  CHECK_FALSE(pattern("(.*)(.*)(.*)(.*)x").found_in(line));
  // Each search for the next match reads to the end of the line.
  const std::size_t some = pattern("a.*b|a").matches(line).size();
  CHECK(some > 0);
  CHECK(some < line.size());
}

}  // namespace pattern_test
}  // namespace trainctl
