// Where --set may lead, and where it must not.
#include <utility>

#include <doctest/doctest.h>

#include "job/manifest/flags/patch.h"
#include "job/objects.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::job;

Json pod() {
  return testing::yaml("{containers: [{name: a, command: [x, y]}], labels: {one: 1}, text: t}");
}

std::string refusal(const std::string& setting) {
  Json manifest = pod();
  const Status status = apply_setting(setting, manifest);
  return status ? "" : status.error().message;
}

TEST_CASE("a setting that leads nowhere is refused instead of changing something else") {
  const std::pair<const char*, const char*> rows[] = {
      {"/containers/0/command/9=z", "--set: /containers/0/command has 2 elements: there is no 9"},
      {"/containers/5/image=z", "--set: /containers has 1 element: there is no 5"},
      {"/containers/a/image=z", "--set: /containers is a list: 'a' is not a position in it"},
      {"/containers/-1/image=z", "--set: /containers is a list: '-1' is not a position in it"},
      {"/containers/5=null", "--set: /containers has 1 element: there is no 5"},
      {"/text/more=z", "--set: /text is a single value: there is nothing below it"},
      {"/new/3/name=z", "--set: /new has 0 elements: there is no 3"},
  };
  for (const auto& [setting, message] : rows) {
    CAPTURE(setting);
    CHECK(refusal(setting) == message);
  }
}

TEST_CASE("what is missing is made as a list where an element is asked for, and null takes out") {
  const std::pair<const char*, const char*> rows[] = {
      {"/env/0/name=A", "/env"},
      {"/env/-=A", "/env"},
      {"/a/b/c=1", "/a/b"},
      {"/containers/0/command/2=z", "/containers/0/command"},
  };
  const char* expected[] = {"[{name: A}]", "[A]", "{c: 1}", "[x, y, z]"};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    Json manifest = pod();
    REQUIRE(apply_setting(rows[i].first, manifest));
    CHECK(*find(manifest, rows[i].second) == testing::yaml(expected[i]));
  }
  Json manifest = pod();
  for (const char* setting : {"/labels/one=null", "/containers/0/command/0=null", "/text=null",
                              "/none/of/these=null", "/containers/0/command/1=null"}) {
    REQUIRE(apply_setting(setting, manifest));
  }
  CHECK(manifest == testing::yaml("{containers: [{name: a, command: [y]}], labels: {}}"));
  REQUIRE(apply_setting("/text=\"null\"", manifest));
  CHECK(*find(manifest, "/text") == "null");
}

}  // namespace TEST_FILE
