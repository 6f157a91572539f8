// A user's own columns and order: what is read, and what comes first.
#include "view/columns.h"

#include <doctest/doctest.h>

namespace trainctl::testing {
namespace TEST_FILE {

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

}  // namespace TEST_FILE
}  // namespace trainctl::testing
