// Runs every case of tests/cases and compares what comes out byte for byte. UPDATE_GOLDEN=1 writes
// what came out instead.
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "cases/golden_case.h"
#include "cases/shell_words.h"
#include "support/case_file.h"

namespace trainctl::testing {
namespace TEST_FILE {

using FileMap = std::map<std::string, std::string>;

void set_or_remove(CaseFile& file, const char* name, const std::string& content,
                   const std::string& absent) {
  if (content == absent) {
    file.remove(name);
  } else {
    file.set(name, content);
  }
}

void rewrite(CaseFile file, const std::string& name, const Outcome& outcome) {
  set_or_remove(file, "stdout", outcome.out, "");
  set_or_remove(file, "stderr", outcome.err, "");
  set_or_remove(file, "exit", outcome.exit, "0\n");
  if (file.has("history-after")) file.set("history-after", outcome.history);
  for (const auto& [path, content] : file.below("written")) {
    const auto found = outcome.written.find(path);
    if (found == outcome.written.end()) FAIL_CHECK(cat("/", path, " was not written"));
    if (found != outcome.written.end()) file.set(cat("written/", path), found->second);
  }
  file.set_below("disk-after", outcome.disk);
  const auto text = file.print();
  if (!text) FAIL(text.error().message);
  std::ofstream(path_of_case(name), std::ios::binary) << *text;
}

// Names the files that differ, each with what there is now.
void check_files(const char* folder, const FileMap& found, const FileMap& expected) {
  for (const auto& [path, content] : expected) {
    INFO(cat(folder, "/", path));
    REQUIRE(found.contains(path));
    CHECK(found.at(path) == content);
  }
  for (const auto& [path, content] : found) {
    CHECK_MESSAGE(expected.contains(path), folder << "/" << path << " is not expected");
  }
}

void check_case(const std::string& name) {
  const CaseFile file = read_case(name);
  const Outcome outcome = GoldenCase(file).run();
  for (const std::string& complaint : outcome.complaints) FAIL_CHECK(complaint);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) return rewrite(file, name, outcome);
  CHECK(outcome.out == file.text("stdout"));
  CHECK(outcome.err == file.text("stderr"));
  CHECK(outcome.exit == (file.has("exit") ? file.text("exit") : "0\n"));
  if (file.has("history-after")) CHECK(outcome.history == file.text("history-after"));
  check_files("written", outcome.written, file.below("written"));
  check_files("disk-after", outcome.disk, file.below("disk-after"));
}

// main.cpp knows its name.
TEST_CASE("every golden case says and sends what it did when a person last read it") {
  static const std::vector<std::string> names = case_names();
  REQUIRE(names.size() > 40);
  for (const std::string& name : names) {
    SUBCASE(name.c_str()) {
      check_case(name);
    }
  }
}

TEST_CASE("words of a case are those a shell would pass") {
  CHECK(shell_words("trainctl get  -o 'a b'\\\n \"c \\\"d\\\" \\n\" ''") ==
        std::vector<std::string>{"trainctl", "get", "-o", "a b", "c \"d\" \\n", ""});
  CHECK(shell_words("a\\ b\nc") == std::vector<std::string>{"a b", "c"});
  CHECK_FALSE(shell_words("it's"));
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
