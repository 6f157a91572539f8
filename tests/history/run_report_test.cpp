// Two runs are told apart by what their users changed, and by nothing else.
#include "history/run_report.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"

namespace trainctl::testing {

namespace run_report_test {

std::string told(const char* a, const char* b) {
  std::string lines;
  for (const auto& one : work::differences(*from_yaml(a, "a"), *from_yaml(b, "b"))) {
    lines += cat(one.path, ": ", work::value_words(one.a), " -> ", work::value_words(one.b), '\n');
  }
  return lines;
}

TEST_CASE("a field that is changed, added or removed is one difference") {
  CHECK(told("{spec: {a: 1, b: x}}", "{spec: {a: 2, c: [1, 2]}}") ==
        "spec.a: 1 -> 2\nspec.b: x -> \nspec.c:  -> 1 2\n");
  CHECK(told("{a: 1}", "{a: 1}").empty());
}

TEST_CASE("an element of a list is compared with the one of its name, wherever that stands") {
  CHECK(told("env: [{name: LR, value: '1'}, {name: B, value: x}]",
             "env: [{name: B, value: x}, {name: LR, value: '2'}, {name: C, value: y}]") ==
        "env[LR].value: 1 -> 2\nenv[C].value:  -> y\n");
  CHECK(told("{}", "env: [{name: LR, value: '1'}]") == "env[LR].value:  -> 1\n");
  CHECK(told("env: [{name: LR, value: '1'}]", "{}") == "env[LR].value: 1 -> \n");
  CHECK(told("rules: [{a: 1}]", "rules: [{a: 1}, {a: 2}]") == "rules[1]:  -> {\"a\":2}\n");
}

TEST_CASE("the words of a program are compared as a line, and names of runs are not") {
  CHECK(told("{metadata: {name: a}, args: [--lr, '1', 'x y']}",
             "{metadata: {name: b}, args: [--lr, '2']}") == "args: --lr 1 'x y' -> --lr 2\n");
}

}  // namespace run_report_test

}  // namespace trainctl::testing
