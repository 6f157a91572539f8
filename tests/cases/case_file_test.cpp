// Sections of a golden case: what is read is what is printed.
#include "support/case_file.h"

#include <doctest/doctest.h>

namespace trainctl::testing {
namespace case_file_test {

CaseFile case_of(std::string_view text) {
  auto read = CaseFile::read(text);
  REQUIRE(read);
  return *std::move(read);
}

constexpr std::string_view k_case =
    "# Says why.\n"
    "-- cmd --\ntrainctl get\n"
    "-- tty --\n"
    "-- files/a/b.yaml (no newline) --\na: 1\n"
    "-- stdout --\none\n\n";

TEST_CASE("a golden case that is read and printed is the same to the byte") {
  const CaseFile file = case_of(k_case);
  CHECK(*file.print() == k_case);
  CHECK(file.text("cmd") == "trainctl get\n");
  CHECK(file.has("tty"));
  CHECK(file.text("tty").empty());
  CHECK(file.below("files") == std::map<std::string, std::string>{{"a/b.yaml", "a: 1"}});
  CHECK(file.text("stdout") == "one\n\n");
  CHECK_FALSE(file.has("stderr"));
}

TEST_CASE("new output of a golden case takes its place among the sections") {
  CaseFile file = case_of(k_case);
  file.set("exit", "3\n");
  file.set("stderr", "no");
  file.set("stdout", "");
  file.set_below("files", {{"a/a", "1\n"}, {"z", ""}});
  file.remove("tty");
  CHECK(*file.print() ==
        "# Says why.\n-- cmd --\ntrainctl get\n-- files/a/a --\n1\n-- files/z --\n-- stdout --\n"
        "-- stderr (no newline) --\nno\n-- exit --\n3\n");
}

TEST_CASE("a mistake in a golden case is refused, not passed over") {
  const auto refusal = [](std::string_view text) { return CaseFile::read(text).error().message; };
  CHECK(refusal("-- cmd --\n-- stdot --\n") == "no case has a section 'stdot'");
  CHECK(refusal("-- cmd --\n-- files/ --\n") == "no case has a section 'files/'");
  CHECK(refusal("-- cmd --\n-- cmd --\n") == "two sections are called 'cmd'");
  CaseFile file = case_of(k_case);
  file.set("stdout", "a\n-- b --\n");
  CHECK(file.print().error().message == "stdout has the line '-- b --', which begins a section");
}

}  // namespace case_file_test
}  // namespace trainctl::testing
