// A search that misses a line sends its user to read gigabytes by hand.
#include <doctest/doctest.h>

#include "job/logs/kept_log.h"
#include "work/history/kept_logs.h"

namespace trainctl::work {
namespace TEST_FILE {

constexpr std::string_view k_log =
    "master-0\t0\tpytorch\t1\t\t2026-01-02T03:00:05Z\tepoch 1 loss=0.5\n"
    "\t\t\t\t\t\t4096\n"
    "worker-0\t1\tpytorch\t1\t\t2026-01-02T03:00:06Z\tLoss\tNaN (overflow)\n"
    "worker-0\t1\tpytorch\t1\t\t2026-01-02T03:00:07Z\thalf a li";

std::vector<std::string> found(const std::string& text, Case letters = Case::matters) {
  const auto pattern = LogPattern::parse(text, letters);
  REQUIRE(pattern);
  std::vector<std::string> texts;
  const std::string lines = matching_lines(k_log, *pattern);
  for (const job::KeptLine& line : job::read_kept_lines(lines)) texts.emplace_back(line.line.text);
  return texts;
}

TEST_CASE("words and expressions find the texts of lines, and nothing of their fields") {
  using Texts = std::vector<std::string>;
  CHECK(found("loss") == Texts{"epoch 1 loss=0.5"});
  CHECK(found("loss", Case::ignored) == Texts{"epoch 1 loss=0.5", "Loss\tNaN (overflow)"});
  CHECK(found("loss=[0-9.]+$") == Texts{"epoch 1 loss=0.5"});
  CHECK(found("^epoch") == Texts{"epoch 1 loss=0.5"});
  CHECK(found("s\tN") == Texts{"Loss\tNaN (overflow)"});
  CHECK(found("pytorch").empty());
  CHECK(found("4096").empty());
  CHECK(found("half").empty());
}

TEST_CASE("a pattern that is no expression is refused, and so is none") {
  CHECK(LogPattern::parse("(", Case::matters).error().code == Code::usage);
  CHECK(LogPattern::parse("[a", Case::ignored).error().code == Code::usage);
  CHECK(LogPattern::parse("", Case::matters).error().code == Code::usage);
}

}  // namespace TEST_FILE
}  // namespace trainctl::work
