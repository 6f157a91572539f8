// Errors and results: the exit status a pipeline sees must be the one documented.
#include <memory>
#include <set>

#include <doctest/doctest.h>

#include "base/result.h"

namespace error_test {

using namespace trainctl;

Result<int> half(int number) {
  if (number % 2 != 0) return Error{Code::usage, "odd", "take an even one"};
  return number / 2;
}

Result<int> quarter(int number) {
  TRY_ASSIGN(const int once, half(number));
  TRY_ASSIGN(const int twice, half(once));
  return twice;
}

Status checked(int number) {
  TRY(half(number));
  return {};
}

TEST_CASE("the first failure ends the work and keeps its code and hint") {
  CHECK(*quarter(8) == 2);
  CHECK(quarter(6).error().message == "odd");
  CHECK(quarter(6).error().hint == "take an even one");
  CHECK(checked(2));
  CHECK(checked(3).error().code == Code::usage);
}

TEST_CASE("a value that can only be moved comes through") {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> value = *std::move(result);
  CHECK(*value == 5);
}

TEST_CASE("context goes before the message and changes nothing else") {
  const Error error = in_context("job.yaml", {Code::refused, "invalid", "look"});
  CHECK(error.message == "job.yaml: invalid");
  CHECK(error.code == Code::refused);
  CHECK(error.hint == "look");
}

TEST_CASE("every exit status of the contract is in the table, once") {
  std::set<int> statuses;
  for (const ExitStatus& status : exit_statuses()) {
    CHECK(statuses.insert(static_cast<int>(status.code)).second);
    CHECK_FALSE(status.meaning.empty());
  }
  CHECK(statuses == std::set<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 129, 130, 141, 143});
}

}  // namespace error_test
