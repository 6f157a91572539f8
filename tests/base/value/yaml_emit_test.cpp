// Writing YAML: readable for people, unmistakable for every reader.
#include <cmath>
#include <functional>
#include <random>

#include <doctest/doctest.h>

#include "base/value/yaml.h"

namespace yaml_emit_test {

using namespace trainctl;

std::string written(const Json& value) {
  return to_yaml(value);
}

// Pieces that mean something to some YAML reader in some place.
const std::vector<std::string> k_hostile = {"",
                                            " ",
                                            "  ",
                                            "\n",
                                            "\n\n",
                                            "\r",
                                            "\r\n",
                                            "\t",
                                            "'",
                                            "\"",
                                            "''",
                                            "\\",
                                            "\\n",
                                            "\\\"",
                                            "#",
                                            " #",
                                            "# ",
                                            ":",
                                            ": ",
                                            " :",
                                            "-",
                                            "- ",
                                            "--",
                                            "---",
                                            "--- ",
                                            "...",
                                            "?",
                                            "? ",
                                            "|",
                                            ">",
                                            "|-",
                                            "[",
                                            "]",
                                            "{",
                                            "}",
                                            ",",
                                            ", ",
                                            "&a",
                                            "*a",
                                            "!",
                                            "!!str ",
                                            "%",
                                            "@",
                                            "`",
                                            "~",
                                            "=",
                                            "<<",
                                            "yes",
                                            "No",
                                            "on",
                                            "OFF",
                                            "y",
                                            "N",
                                            "true",
                                            "False",
                                            "null",
                                            "NULL",
                                            "nan",
                                            ".nan",
                                            ".inf",
                                            "-.INF",
                                            "0",
                                            "1",
                                            "-1",
                                            "+1",
                                            "0644",
                                            "0o17",
                                            "0x1F",
                                            "0b11",
                                            "1_000",
                                            "1e3",
                                            "1.5",
                                            ".5",
                                            "5.",
                                            "1:30",
                                            "12:30:45",
                                            "2024-01-01",
                                            "2024-01-01T00:00:00Z",
                                            "a",
                                            "b c",
                                            "word",
                                            "/path",
                                            "--flag",
                                            "x: y",
                                            "x #y",
                                            "\x01",
                                            "\x04",
                                            "\x1b[31m",
                                            "\x7f",
                                            "\xC2\x80",
                                            "\xC2\x85",
                                            "\xC2\x9F",
                                            "\xC2\xA0",
                                            "\xC3\xA9",
                                            "\xE2\x80\xA8",
                                            "\xE2\x80\xA9",
                                            "\xEF\xBB\xBF",
                                            "\xEF\xBF\xBE",
                                            "\xEF\xBF\xBF",
                                            "\xEF\xBF\xBD",
                                            "\xE2\x80\x8B",
                                            "\xF0\x9F\x98\x80",
                                            "\xF0\x9F\xBF\xBF",
                                            "\xE8\xAE\xAD"};

std::string hostile_string(std::mt19937& random) {
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  std::string text;
  if (below(200) == 0) text.assign(below(3000), "x :#\n"[below(5)]);
  for (std::size_t pieces = below(6); pieces > 0; --pieces)
    text += k_hostile[below(k_hostile.size())];
  return text;
}

TEST_CASE("a manifest prints as kubectl would print it") {
  const Json job = Json::parse(R"({"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob",
    "metadata":{"name":"ddp","labels":{"app.kubernetes.io/name":"x"}},
    "spec":{"replicas":2,"args":["--epochs","3","-v",["a",["b"]],{"k":[]}],"none":null,"e":{},
    "image":"registry:5000/ddp:1","mount":"/data"}})");
  CHECK(written(job) ==
        "apiVersion: kubeflow.org/v1\n"
        "kind: PyTorchJob\n"
        "metadata:\n"
        "  name: ddp\n"
        "  labels:\n"
        "    app.kubernetes.io/name: x\n"
        "spec:\n"
        "  replicas: 2\n"
        "  args:\n"
        "  - --epochs\n"
        "  - \"3\"\n"
        "  - \"-v\"\n"
        "  - - a\n"
        "    - - b\n"
        "  - k: []\n"
        "  none: null\n"
        "  e: {}\n"
        "  image: registry:5000/ddp:1\n"
        "  mount: /data\n");
}

TEST_CASE("a string that looks like something else is quoted, so env values stay strings") {
  for (const char* text :
       {"yes", "No",   "ON",   "off",  "y",    "N",   "true",  "FALSE",      "null", "~",  "",
        "1",   "0644", "0o17", "0x10", "1e3",  "1_0", "12:30", "2024-01-01", ".inf", ".5", "-1",
        "+1",  "<<",   "=",    "- a",  "a: b", "a:",  " a",    "a ",         "a #b"}) {
    CAPTURE(text);
    CHECK(written(Json{{"v", text}}) == "v: \"" + std::string(text) + "\"\n");
  }
}

TEST_CASE("characters that YAML forbids raw are escaped") {
  CHECK(written("a\n\t\"\\") == "\"a\\n\\t\\\"\\\\\"\n");
  CHECK(written("\x7F\xC2\x85\xE2\x80\xA8\xEF\xBB\xBF\xEF\xBF\xBF") ==
        "\"\\u007F\\u0085\\u2028\\uFEFF\\uFFFF\"\n");
  CHECK(written("\xFFx") == "\"\\uFFFDx\"\n");
  CHECK(written("caf\xC3\xA9") == "\"caf\xC3\xA9\"\n");
}

TEST_CASE("numbers keep their kind") {
  CHECK(written(Json::array({1, -1, 1.5, 1e300, 1.0, true})) ==
        "- 1\n- -1\n- 1.5\n- 1.0e+300\n- 1.0\n- true\n");
}

TEST_CASE("a key longer than any reader looks ahead is still a key") {
  const Json value = {{std::string(3000, 'k'), Json::array({1, Json{{"a", 2}}})}, {"z", 1}};
  CHECK(*from_yaml(to_yaml(value), "f") == value);
}

TEST_CASE("20 000 hostile strings, as values and as keys, come back unchanged") {
  std::mt19937 random(20261121);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = hostile_string(random);
    const std::string other = hostile_string(random);
    Json value = {{"x" + other, 1}};
    value[text] = Json::array({text, Json{{other, text}}});
    value["after"] = 2;
    const std::string yaml = to_yaml(value);
    const auto back = from_yaml(yaml, "f");
    CAPTURE(yaml);
    REQUIRE_MESSAGE(back, back.error().message);
    REQUIRE(dump(*back) == dump(value));
  }
}

TEST_CASE("hostile documents of any shape come back unchanged") {
  std::mt19937 random(7);
  const auto below = [&random](std::size_t limit) { return random() % limit; };
  const std::function<Json(int)> make = [&](int depth) -> Json {
    switch (below(depth > 0 ? 8 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<std::int64_t>(random()) - (std::int64_t{1} << 31U);
      case 3:
        return std::ldexp(static_cast<double>(random()), static_cast<int>(below(200)) - 100);
      case 4:
      case 5:
        return hostile_string(random);
      case 6: {
        Json list = Json::array();
        for (std::size_t n = below(4); n > 0; --n) list.push_back(make(depth - 1));
        return list;
      }
      default: {
        Json map = Json::object();
        for (std::size_t n = below(4); n > 0; --n) map[hostile_string(random)] = make(depth - 1);
        return map;
      }
    }
  };
  for (int i = 0; i < 1'000; ++i) {
    const Json value = Json::array({make(5)});
    const std::string yaml = to_yaml(value);
    const auto back = from_yaml(yaml, "f");
    CAPTURE(yaml);
    REQUIRE_MESSAGE(back, back.error().message);
    REQUIRE(*back == value);
  }
}

TEST_CASE("a script in a manifest can be read, and is read back byte for byte") {
  CHECK(to_yaml(Json{{"args", {"a\n\tb $x\n\n# c: d\ne \nf\n"}}}) ==
        "args:\n- |\n  a\n  \tb $x\n\n  # c: d\n  e \n  f\n");
  for (const std::string& end :
       std::vector<std::string>{"", "\n", "\n\n", "\n\n\n", "\r\n", "\n \n", "\x07"}) {
    for (const std::string& begin :
         std::vector<std::string>{"", " ", "\t", "\n", "#!", "- ", "%", "---\n"}) {
      const std::string text = begin + std::string("a\nb: c\n\n  d\ne\nf") + end;
      const Json value = {{"k", text}, {"l", {text, {{"m", text}, {"n", 1}}}}};
      CAPTURE(text);
      const auto back = from_yaml(to_yaml(value), "f");
      REQUIRE_MESSAGE(back, back.error().message);
      CHECK(*back == value);
    }
  }
}

}  // namespace yaml_emit_test
