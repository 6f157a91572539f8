// yaml-cpp lets these through or chokes on them; each once cost somebody a manifest or a
// machine.
#include <doctest/doctest.h>

#include "base/value/yaml.h"

namespace yaml_guard_test {

using namespace trainctl;

std::string refusal(std::string_view text) {
  const auto values = from_yaml_stream(text, "f");
  if (values) return "accepted: " + dump(Json(*values));
  CHECK(values.error().code == Code::usage);
  return values.error().message;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("a stray comma is refused instead of eating all memory") {
  CHECK(refusal(",") == "f:1:1: this is not part of the document above");
  CHECK(refusal("a: b\n---\n,") == "f:3:1: this is not part of the document above");
  CHECK(refusal("- a\n,") == "f:2:1: this is not part of the document above");
}

TEST_CASE("nothing behind the first document is silently ignored") {
  CHECK(from_yaml("a: 1\n---\nb: 2", "f").error().message ==
        "f:2:1: a second document, where one is expected");
  CHECK(refusal("- a\nb: c") == "f:2:1: this is not part of the document above");
  CHECK(refusal("'a' b").find("f:1:5: ") == 0);
  CHECK(refusal("{a: b}\n}").find("f:2:1: ") == 0);
  CHECK(refusal("a: b\n,").find("f:2:1: ") == 0);
  CHECK(refusal("'q'\n---- x") == "f:2:1: this is not part of the document above");
}

TEST_CASE("an unclosed quote does not swallow the rest of the manifest") {
  CHECK(refusal("a: 1\nimage: \"x\nb: 2\n") == "f:2:8: this quote is not closed");
  CHECK(refusal("image: 'it''s\n") == "f:1:8: this quote is not closed");
  CHECK(refusal("image: &a !!str \"x\\\"\n") == "f:1:8: this quote is not closed");
  CHECK(refusal("'") == "f:1:1: this quote is not closed");
  CHECK(refusal("\xEF\xBB\xBF'a\n") == "f:1:1: this quote is not closed");
  CHECK(from_yaml("image: &a !!str \"x\\\"\"", "f"));
  CHECK(from_yaml("image: 'it''s'", "f"));
  CHECK(from_yaml("image: 5'", "f"));
}

TEST_CASE("a manifest cut off in the middle of a key is not taken for a whole one") {
  CHECK(refusal("a: 1\nrepli") == "f:2:1: neither a key nor a value: is a colon missing?");
  CHECK(refusal("spec:\n  a: 1\n  back\n") ==
        "f:3:3: neither a key nor a value: is a colon missing?");
  CHECK(from_yaml("a: 1\nreplicas:", "f"));
  CHECK(from_yaml("a: 1\nreplicas: ", "f"));
}

TEST_CASE("duplicate keys are refused wherever they hide") {
  CHECK(refusal("a: 1\n\"a\": 2").find("f:2:1: duplicate key") == 0);
  CHECK(refusal("{a: 1, a: 2}").find("f:1:8: duplicate key") == 0);
  CHECK(refusal("x: &x {a: 1}\ny:\n  <<: *x\n  <<: *x").find("f:4:3: duplicate key") == 0);
  CHECK(from_yaml("x: &x {a: 1}\ny:\n  <<: *x\n  '<<': 5", "f"));
}

TEST_CASE("a tab as indentation is called one") {
  CHECK(refusal("a:\n\tb: 1") == "f:2:3: a tab in the indentation");
  CHECK(refusal("a:\n  b: 1\n\tc: 2").find("f:3:") == 0);
  CHECK(*from_yaml("a: |\n  x\n  \ty\n", "f") == Json{{"a", "x\n\ty\n"}});
}

TEST_CASE("an alias bomb is refused, by nodes and by bytes") {
  std::string nodes = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    const std::string self = "a" + std::to_string(i);
    nodes += self + ": &" + self + " [" + repeated(last + ",", 9) + last + "]\n";
  }
  CHECK(refusal(nodes).find("too large") != std::string::npos);
  const std::string bytes =
      "a: &a " + std::string(1 << 20, 'x') + "\nb: [" + repeated("*a,", 99) + "]";
  CHECK(refusal(bytes).find("too large") != std::string::npos);
}

TEST_CASE("nesting through aliases is nesting") {
  std::string text = "a0: &a0 " + std::string(90, '[') + std::string(90, ']') + "\n";
  for (int i = 1; i < 12; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  CHECK(refusal(text).find("more than 100 levels deep") != std::string::npos);
  CHECK(refusal("&a [*a]") == "f:1:5: this alias is inside its own anchor");
}

TEST_CASE("depth, size and number of values have limits, in YAML and in JSON") {
  CHECK(refusal(repeated("- ", 101) + "x").find("more than 100 levels deep") != std::string::npos);
  CHECK(refusal(std::string(101, '[') + std::string(101, ']')).find("levels") != std::string::npos);
  CHECK(from_yaml(std::string(100, '[') + std::string(100, ']'), "f"));
  CHECK(from_yaml(repeated("- ", 100) + "x", "f"));
  CHECK(refusal(std::string(1 << 20, '[')) == "f:1:50001: too many brackets that are not closed");
  CHECK(refusal("[" + repeated("1,", 200'001) + "1]").find("too large") != std::string::npos);
  CHECK(refusal(repeated("---\n", 200'001)).find("too large") != std::string::npos);
  CHECK(refusal(std::string((16 << 20) + 1, ' ')) == "f: larger than 16 MiB");
}

TEST_CASE("a byte the parser takes for the end of the file hides nothing") {
  CHECK(refusal("a: 1\n\x04\nb: 2") == "f:2:1: control character 4");
  CHECK(refusal(std::string("a\0b", 3)) == "f:1:2: control character 0");
  CHECK(refusal("a: \x1b[2J") == "f:1:4: control character 27");
}

TEST_CASE("text that is not UTF-8 is refused, UTF-16 included") {
  CHECK(refusal("a: \xFF") == "f:1:4: this is not UTF-8 text");
  CHECK(refusal(std::string("\xFF\xFE"
                            "a\0",
                            4)) == "f:1:1: this is not UTF-8 text");
}

TEST_CASE("many keys in one map cost time in proportion") {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "key-" + std::to_string(i) + ": 1\n";
  const auto value = from_yaml(text, "f");
  REQUIRE(value);
  CHECK(value->size() == 60'000);
}

}  // namespace yaml_guard_test
