// $(NAME) as the kubelet expands it, and texts that must survive it.
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "job/manifest/environment.h"

namespace TEST_FILE {

using namespace trainctl::job;

TEST_CASE("A $(VAR) in an argument means what it means on a cluster") {
  const Variables variables{{"A", "1"}, {"B_C", "two"}};
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"$(A)", "1"},
      {"x$(A)y$(B_C)", "x1ytwo"},
      {"$(NONE)", "$(NONE)"},
      {"$$(A)", "$(A)"},
      {"$$$(A)", "$1"},
      {"$A", "$A"},
      {"$", "$"},
      {"a$", "a$"},
      {"$(A", "$(A"},
      {"$()", "$()"},
      {"$$", "$"},
      {"$(A)$(A)", "11"},
      {"${A}", "${A}"},
      {"$((A)", "$((A)"},
      {"", ""},
  };
  for (const auto& [text, wanted] : rows) {
    CAPTURE(text);
    CHECK(expanded(text, variables) == wanted);
  }
}

TEST_CASE(
    "A word that was typed reaches the program byte for byte, whatever it means to a cluster") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"$(A)", "$$(A)"},
      {"$$", "$$$$"},
      {"$$(A)", "$$$$(A)"},
      {"$HOME", "$HOME"},
      {"${A}", "${A}"},
      {"cost: 5$", "cost: 5$"},
      {"$(", "$$("},
      {"$\u00e9", "$$\u00e9"},
      {"echo $((1+1)) $$ $(ls)", "echo $$((1+1)) $$$$ $$(ls)"},
  };
  for (const auto& [typed, sent] : rows) {
    CAPTURE(typed);
    CHECK(unexpanded(typed) == sent);
  }
}

TEST_CASE("What is escaped expands to itself, for every text of dollars, brackets and names") {
  const Variables variables{{"A", "$(A)$$"}, {"", "empty"}, {"AA", "x"}};
  constexpr std::string_view k_letters = "$()A";
  for (int length = 0; length <= 6; ++length) {
    for (int code = 0; code < 1 << (2 * length); ++code) {
      std::string text;
      for (int i = 0; i < length; ++i) text += k_letters[(code >> (2 * i)) & 3];
      CAPTURE(text);
      REQUIRE(expanded(unexpanded(text), variables) == text);
    }
  }
}

}  // namespace TEST_FILE
