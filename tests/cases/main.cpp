// cases_test [NAME…]: runs all golden cases, or those named: a case (submit/exists-replace), the
// cases of a command (submit), a pattern ('submit/exists-*') or files (tests/cases/submit/a.case).
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fnmatch.h>

#include "base/text/text.h"
#include "cases/golden_case.h"

namespace trainctl::testing {
namespace {

// A word of the command line that is a pattern of names.
std::string pattern_of(std::string typed) {
  constexpr std::string_view k_folder = "tests/cases/";
  constexpr std::string_view k_ending = ".case";
  const auto folder = typed.rfind(k_folder);
  if (folder != std::string::npos) typed.erase(0, folder + k_folder.size());
  if (typed.ends_with(k_ending)) typed.resize(typed.size() - k_ending.size());
  while (typed.ends_with('/')) typed.pop_back();
  return typed.find_first_of("/*") == std::string::npos ? typed + "/*" : typed;
}

bool fits_a_case(const std::string& pattern) {
  const auto names = case_names();
  return std::any_of(names.begin(), names.end(), [&pattern](const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

int run(int argc, char** argv) {
  doctest::Context context(argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] == '-') continue;
    const std::string pattern = pattern_of(argv[i]);
    if (!fits_a_case(pattern)) {
      std::fputs(cat("no case is called ", argv[i], "\n").c_str(), stderr);
      return 2;
    }
    context.addFilter("test-case", "every golden case *");
    context.addFilter("subcase", pattern.c_str());
  }
  return context.run();
}

}  // namespace
}  // namespace trainctl::testing

int main(int argc, char** argv) {
  return trainctl::testing::run(argc, argv);
}
