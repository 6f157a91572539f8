// Long words of base64, as kubeconfigs and secrets hold them, go past the YAML parser unharmed.
#include "base/value/yaml.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace yaml_test {

using namespace trainctl;

// Different words, so that one is not taken for another.
std::string word(char letter, std::size_t size = 3000) {
  return std::string(size, letter) + "/+==";
}

std::string read(std::string_view text) {
  const auto value = from_yaml(text, "config");
  return value ? dump(*value) : value.error().message;
}

TEST_CASE("certificates come back byte for byte in every style that YAML can write them in") {
  const std::string a = word('a'), b = word('b'), c = word('c'), d = word('d');
  const std::string text =
      cat("plain: ", a, "\r\nquoted: \"", b, "\"\nlist:\n- '", c, "'\n- ", a, "\n# ", d,
          "\nblock: |\n  ", d, "\n  ", a, "\nfolded: ", a, "\n  ", b, "\nflow: {x: ", c, "}\n");
  const Json expected{{"plain", a},
                      {"quoted", b},
                      {"list", {c, a}},
                      {"block", cat(d, '\n', a, '\n')},
                      {"folded", cat(a, ' ', b)},
                      {"flow", {{"x", c}}}};
  CHECK(read(text) == dump(expected));
  CHECK(read(cat("key: ", a)) == dump(Json{{"key", a}}));
  CHECK(read(a) == dump(Json(a)));
}

TEST_CASE("a long word of a kubeconfig does not reach the parser") {
  const std::string text = cat("key: ", word('a'), "\n");
  CHECK(YamlLongWords(text).shortened().size() < 100);
}

TEST_CASE("a long number stays a number, and a quoted one a string") {
  const std::string digits(300, '1');
  CHECK(read(cat("n: ", digits, "\n")) == read(cat("n: ", digits, " \n")));
  CHECK(read(cat("n: \"", digits, "\"\n")) == dump(Json{{"n", digits}}));
}

TEST_CASE("an anchor, a tag or an escape that looks like a long word is left alone") {
  const std::string a = word('a');
  CHECK(read(cat("one: &", std::string(300, 'x'), "\n  ", a, "\ntwo: *", std::string(300, 'x'),
                 "\n")) == dump(Json{{"one", a}, {"two", a}}));
  CHECK(read(cat("one: \"\\x41", a, "\"\n")) == dump(Json{{"one", cat("A", a)}}));
}

TEST_CASE("a text that spells the stand-in itself is read as it is") {
  const std::string a = word('a');
  CHECK(read(cat("mine: LongWordOfThisText0z\nkey: ", a, "\n")) ==
        dump(Json{{"mine", "LongWordOfThisText0z"}, {"key", a}}));
  CHECK(read(cat("mine: \"\\x4congWordOfThisText0z\"\nkey: ", a, "\n")) ==
        dump(Json{{"mine", "LongWordOfThisText0z"}, {"key", a}}));
  CHECK(read(cat("mine: \"LongWord\\\n  OfThisText0z\"\nkey: ", a, "\n")) ==
        dump(Json{{"mine", "LongWordOfThisText0z"}, {"key", a}}));
}

TEST_CASE("errors behind a long word point at the line and column they are in") {
  const std::string a = word('a');
  CHECK(read(cat("key: ", a, "\nkey: 2\n")).find("config:2:1") == 0);
  CHECK(read(cat("key: ", a, "\nopen: \"not closed\n")).find("config:2:7") == 0);
}

}  // namespace yaml_test
