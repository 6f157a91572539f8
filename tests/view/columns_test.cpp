// A user's own columns and order: what is read, and what comes first.
#include "view/columns.h"

#include <doctest/doctest.h>

#include "base/value/yaml.h"

namespace trainctl::testing {

namespace columns_test {

Json report(const char* name, const char* restarts) {
  return Json::parse(std::string(R"({"name":")") + name + R"(","object":{"metadata":{"name":")" +
                     name + R"(","n":)" + restarts + "}}}");
}

TEST_CASE("a path that kubectl's users write for the object finds it inside the report") {
  for (const char* path :
       {"A:.metadata.n", "A:{.metadata.n}", "A:metadata.n", "A:.object.metadata.n"}) {
    CAPTURE(path);
    const auto columns = view::parse_columns(path);
    REQUIRE(columns);
    CHECK(columns->front().field.of(report("ddp", "7")) == "7");
  }
}

TEST_CASE("numbers are sorted as numbers: 10 comes after 9") {
  const auto field = view::parse_sort_field(".metadata.n");
  REQUIRE(field);
  const std::vector<Json> reports = {report("a", "10"), report("b", "9"), report("c", "9")};
  CHECK(view::sorted_by(*field, reports) == std::vector<std::size_t>{1, 2, 0});
}

TEST_CASE("a column without a path is refused and not printed empty") {
  for (const char* text : {"NAME", "NAME:", ":.name", "A:.a,", "A:.a[?(@.b)]"}) {
    CAPTURE(text);
    const auto columns = view::parse_columns(text);
    REQUIRE_FALSE(columns);
    CHECK(columns.error().code == Code::usage);
  }
}

}  // namespace columns_test

// Fields that scripts read out of reports by -o jsonpath.
namespace columns_test {

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

TEST_CASE("a missing field prints nothing instead of failing a script") {
  CHECK(at("{.reason}") == "");
  CHECK(at("{.items[7].name}") == "");
  CHECK(at("{.phase.deeper[0]}") == "");
  CHECK(at("{.items[*].x}") == "1");
}

TEST_CASE("an unknown expression is refused, never printed wrongly") {
  for (const auto* path : {"{range .items[*]}", "{.items[?(@.x)]}", "{.items[0:1]}", "{.phase",
                           "{..name}", "{phase}", "{.items[}"}) {
    CAPTURE(path);
    CHECK(at(path).starts_with("refused: -o jsonpath: cannot read `"));
  }
}

}  // namespace columns_test

}  // namespace trainctl::testing
