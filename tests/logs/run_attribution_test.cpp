// The run of an answer: a line under another run's number would accuse the wrong run.
#include "logs/run_attribution.h"

#include <doctest/doctest.h>

namespace trainctl::job {
namespace run_attribution_test {

Time at(double second) {
  return Time(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1000 + second)));
}

constexpr LogAnswer k_first{.first = true};
constexpr LogAnswer k_resumed{.resumes = true};
constexpr LogAnswer k_again{};
constexpr LogAnswer k_rest{.drains = true};
constexpr LogAnswer k_resumed_rest{.resumes = true, .drains = true};
constexpr LogAnswer k_previous{.previous = true, .drains = true};

// A run that started at 0, of which a status said so at 1; it may have ended at 10.
struct Row {
  LogAnswer answer;
  double opened, stamp;
  bool has_ended, ours;
};

TEST_CASE("lines that nothing seen precedes are a run's own where time says so") {
  const Row rows[] = {
      {k_first, 2.5, 40, false, true},      // the first answer, soon after the status
      {k_first, 3.5, 40, false, false},     // not so soon
      {k_first, 0.5, 40, false, false},     // before the status
      {k_again, 1.3, 40, false, true},      // right behind the status
      {k_again, 2.5, 40, false, false},     //
      {k_again, 30, 1.5, false, true},      // written as the container started
      {k_resumed, 1.3, 40, false, false},   // what was seen should have come first
      {k_resumed, 1.3, 0.5, false, false},  //
      {k_rest, 30, 9.5, true, true},        // stamped before the run's end
      {k_resumed_rest, 30, 9.5, true, true},
      {k_rest, 30, 10.5, true, false},   // after it: perhaps the next run's
      {k_rest, 12.3, 10.5, true, true},  // within a status's precision, and too soon for the next
      {k_rest, 12.3, 11.5, true, false},
      {k_resumed_rest, 12.3, 10.5, true, false},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    RunAttribution run("c1", false, at(0), at(1));
    if (row.has_ended) run.end({.finished = at(10), .known_at = at(12)}, at(12));
    LogAnswer answer = row.answer;
    answer.opened = at(row.opened);
    CHECK(run.is_ours(answer, at(row.stamp)) == row.ours);
  }
}

TEST_CASE("of a log that is read as it is all lines are taken") {
  const RunAttribution run("", false, {}, at(1));
  CHECK(run.is_ours(k_resumed, at(99)));
}

struct Rest {
  LogAnswer answer;
  bool may_restart, hides;
};

TEST_CASE("a rest without lines may be that of a next run, where there may be one") {
  const Rest rows[] = {
      {k_resumed_rest, true, true}, {k_resumed_rest, false, false}, {k_rest, true, true},
      {k_previous, true, false},    {k_resumed, true, false},
  };
  for (const Rest& row : rows) {
    CAPTURE(&row - rows);
    RunAttribution run("c1", false, at(0), at(1));
    run.end({.may_restart = row.may_restart, .finished = at(10), .known_at = at(12)}, at(12));
    LogAnswer answer = row.answer;
    answer.opened = at(30);
    CHECK(run.may_hide_next_run(answer) == row.hides);
  }
}

using Ruling = RunAttribution::Ruling;

struct Listed {
  LogAnswer answer;
  KnownRuns runs;
  bool anything_seen;
  Ruling ruling;
};

TEST_CASE("the API server's list rules, unless the node knows of a restart before it does") {
  const Listed rows[] = {
      {k_resumed, {"c2", "c1"}, true, Ruling::anothers},
      {k_resumed, {"", ""}, true, Ruling::anothers},  // the pod is gone, or a namesake's
      {k_resumed, {"c1", "c0"}, true, Ruling::ask_node},
      {k_first, {"c1", ""}, false, Ruling::ask_node},
      {k_previous, {"c2", "c1"}, true, Ruling::ask_node},
      {k_previous, {"c3", "c2"}, true, Ruling::anothers},
  };
  for (const Listed& row : rows) {
    CAPTURE(&row - rows);
    RunAttribution run("c1", row.answer.previous, at(0), at(1));
    if (row.answer.drains) run.end({.finished = at(10)}, at(12));
    const auto first = row.anything_seen ? std::optional(at(2)) : std::nullopt;
    CHECK(run.judge(row.answer, row.runs, first) == row.ruling);
  }
  const RunAttribution unknown("c1", false, {}, at(1));
  CHECK(unknown.judge(k_first, {"c1", ""}, {}) == Ruling::ours);
}

TEST_CASE("lines from after a run's end were the next run's") {
  RunAttribution run("c1", false, at(0), at(1));
  CHECK_FALSE(run.was_next_run(at(40)));  // it has not ended
  run.end({.replaced = true, .finished = at(10)}, at(12));
  CHECK(run.is_previous());
  CHECK_FALSE(run.was_next_run({}));
  CHECK_FALSE(run.was_next_run(at(9)));
  CHECK(run.was_next_run(at(10.5)));
  CHECK_FALSE(run.was_surely_next_run(at(10.5)));  // the status says whole seconds
  CHECK(run.was_surely_next_run(at(11)));
}

}  // namespace run_attribution_test
}  // namespace trainctl::job
