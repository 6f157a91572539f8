// No text that a user can type changes the structure of a manifest, or is changed by it.
#include <random>

#include <doctest/doctest.h>

#include "manifest/environment.h"
#include "manifest/rendering.h"

namespace hostile_test {

using namespace trainctl;
using trainctl::testing::at;
using trainctl::testing::rendered;

// YAML 1.1 and 1.2 readers are known to trip over these.
const std::vector<std::string>& fragments() {
  static const std::vector<std::string> k_fragments = {"\n",
                                                       "\r\n",
                                                       "\t",
                                                       " ",
                                                       "  - ",
                                                       "---\n",
                                                       "...\n",
                                                       ": ",
                                                       "#",
                                                       " #",
                                                       "- ",
                                                       "? ",
                                                       "| ",
                                                       ">-\n",
                                                       "&a ",
                                                       "*a",
                                                       "!!str ",
                                                       "%YAML",
                                                       "@",
                                                       "`",
                                                       "'",
                                                       "\"",
                                                       "\\",
                                                       "\\n",
                                                       "{",
                                                       "}",
                                                       "[",
                                                       "]",
                                                       ",",
                                                       "<<",
                                                       "=",
                                                       "~",
                                                       "null",
                                                       "Null",
                                                       "true",
                                                       "True",
                                                       "yes",
                                                       "NO",
                                                       "on",
                                                       "off",
                                                       "y",
                                                       "0",
                                                       "0x1F",
                                                       "0o7",
                                                       "010",
                                                       "1e3",
                                                       "1_000",
                                                       ".inf",
                                                       "-.INF",
                                                       ".nan",
                                                       "12:30:45",
                                                       "2026-01-02",
                                                       "$(HOME)",
                                                       "$HOME",
                                                       "${x}",
                                                       "\x7f",
                                                       "\xc2\x85",
                                                       "\xe2\x80\xa8",
                                                       "\xe2\x80\xa9",
                                                       "\xef\xbb\xbf",
                                                       "\xef\xbf\xbe",
                                                       "\xc2\xa0",
                                                       "\xf0\x9f\x9a\x80",
                                                       "\xc3\xa4",
                                                       "\x01",
                                                       "\x1b[31m",
                                                       "image: x",
                                                       "securityContext: {privileged: true}",
                                                       "/",
                                                       "~1",
                                                       "a",
                                                       "key"};
  return k_fragments;
}

std::string hostile_text(std::mt19937& random) {
  std::string text;
  for (auto pieces = 1 + random() % 6; pieces > 0; --pieces) {
    if (random() % 4 == 0) {
      text += static_cast<char>(1 + random() % 127);
    } else {
      text += fragments()[random() % fragments().size()];
    }
  }
  return text;
}

// Blanks out every string that is not a key.
Json shape(const Json& value) {
  if (value.is_string()) return "";
  if (!value.is_structured()) return value;
  Json copy = value;
  for (Json& child : copy) child = shape(child);
  return copy;
}

constexpr int k_each = 8;  // variables and annotations of one manifest

struct Hostile {
  std::vector<std::string> env, notes, words;
};

Hostile hostile_texts(std::mt19937& random) {
  Hostile texts;
  for (int i = 0; i < k_each; ++i) texts.env.push_back(hostile_text(random));
  for (int i = 0; i < k_each; ++i) texts.notes.push_back(hostile_text(random));
  for (int i = 0; i < 4; ++i) texts.words.push_back(hostile_text(random));
  return texts;
}

Json manifest_of(const Hostile& texts) {
  testing::Line line{"pytorch", {}, texts.words};
  for (int i = 0; i < k_each; ++i) {
    const auto slot = static_cast<std::size_t>(i);
    line.flags.push_back(cat("--env=X", i, '=', texts.env[slot]));
    line.flags.push_back(cat("--annotation=note-", i, '=', texts.notes[slot]));
  }
  return rendered(line);
}

void check_texts(const Json& manifest, const Hostile& texts) {
  const std::string container = "/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0";
  for (int i = 0; i < k_each; ++i) {
    const auto slot = static_cast<std::size_t>(i);
    REQUIRE(at(manifest, cat(container, "/env/", i, "/value")) == job::unexpanded(texts.env[slot]));
    REQUIRE(at(manifest, cat("/metadata/annotations/note-", i)) == texts.notes[slot]);
  }
  Json words = Json::array();
  for (const std::string& word : texts.words) words.push_back(job::unexpanded(word));
  REQUIRE(at(manifest, container + "/args") == words);
}

TEST_CASE("20 000 hostile strings pass from flags to YAML and back unchanged") {
  const std::vector<std::string> plain(k_each, "x");
  const std::string expected_shape =
      dump(shape(manifest_of({plain, plain, std::vector<std::string>(4, "x")})));
  std::mt19937 random(20260102);
  for (int i = 0; i < 20000; i += 2 * k_each + 4) {
    const Hostile texts = hostile_texts(random);
    const Json manifest = manifest_of(texts);
    check_texts(manifest, texts);
    REQUIRE(dump(shape(manifest)) == expected_shape);

    const std::string text = to_yaml(manifest);
    CAPTURE(text);
    const auto again = from_yaml(text, "rendered");
    REQUIRE_MESSAGE(again.has_value(), (again ? "" : again.error().message));
    REQUIRE(*again == manifest);
  }
}

TEST_CASE("an image that tries to break out of its field stays one value") {
  const std::string image = "x\"\n              securityContext: {privileged: true} #";
  const auto refused = testing::try_render({"pytorch", {"--image=" + image}});
  CHECK_FALSE(refused.has_value());  // no image name has a blank
  const Json manifest = rendered({"pytorch", {}, {}, {"/spec/x=" + image}});
  const auto again = from_yaml(to_yaml(manifest), "rendered");
  REQUIRE(again.has_value());
  CHECK(at(*again, "/spec/x") == image);
  CHECK(dump(*again).find("\"privileged\"") == std::string::npos);
}

TEST_CASE("text that no API object may hold is refused where it was typed") {
  using trainctl::testing::refusal;
  CHECK(refusal({"pytorch", {}, {"\xff"}}) == "an argument after -- is not valid UTF-8");
  CHECK(refusal({"pytorch", {}, {std::string("a\0b", 3)}}) ==
        "an argument after -- holds a NUL byte");
  CHECK(refusal({"pytorch", {"--annotation=a=\xc0\x80"}}) ==
        "--annotation: the value is not valid UTF-8");
  CHECK(refusal({"pytorch", {}, {}, {"/x=\xff"}}) == "--set: the setting is not valid UTF-8");
}

}  // namespace hostile_test
