// What scripts read out of reports by -o jsonpath.
#include <doctest/doctest.h>

#include "base/value/yaml.h"
#include "view/columns.h"

namespace trainctl::testing {
namespace TEST_FILE {

std::string at(const char* path) {
  const auto value = from_yaml(
      "{phase: Running, n: 3, items: [{name: a, x: 1}, {name: b}], keys: {a.b: dotted}}", "test");
  REQUIRE(value);
  const auto parsed = view::parse_jsonpath(path);
  return parsed ? parsed->text(*value) : "refused: " + parsed.error().message;
}

TEST_CASE("paths that scripts use with kubectl print the same here") {
  CHECK(at("{.phase}") == "Running");
  CHECK(at("{$.phase} {.n}{\"\\n\"}") == "Running 3\n");
  CHECK(at("{.items[*].name}") == "a b");
  CHECK(at("{.items[0].name}{.items[-1].name}") == "ab");
  CHECK(at("{.items[0]}") == "{\"name\":\"a\",\"x\":1}");
  CHECK(at("{.keys['a.b']}") == "dotted");
  CHECK(at("{.items.*.name}") == "a b");
  CHECK(at("plain") == "plain");
}

TEST_CASE("what is missing prints nothing instead of failing a script") {
  CHECK(at("{.reason}") == "");
  CHECK(at("{.items[7].name}") == "");
  CHECK(at("{.phase.deeper[0]}") == "");
  CHECK(at("{.items[*].x}") == "1");
}

TEST_CASE("what trainctl does not know is refused, never printed wrongly") {
  for (const auto* path : {"{range .items[*]}", "{.items[?(@.x)]}", "{.items[0:1]}", "{.phase",
                           "{..name}", "{phase}", "{.items[}"}) {
    CAPTURE(path);
    CHECK(at(path).starts_with("refused: -o jsonpath: cannot read `"));
  }
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
