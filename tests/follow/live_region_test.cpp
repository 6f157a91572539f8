// The lines below the log while a job trains: whole words that fit, most important first.
#include "follow/live_region.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fakes.h"

namespace live_region_test {

using namespace trainctl;
using namespace trainctl::job;
using std::chrono::seconds;

// A running job of two workers, in which rank 1 is behind.
struct World {
  Role worker;
  JobMetrics metrics;
  JobState state;
  testing::BufferConsole console;
  Time now = Time(seconds(1000));

  World() {
    worker.name = "Worker";
    state.phase = Phase::running;
    state.since = now;
    for (int step = 10; step <= 40; step += 10) {
      now += seconds(2);
      print(cat("step ", step, "/100 loss 0.", 90 - step, " lr 0.001"), 0);
      if (step == 10) print("step 10/100 loss 0.8", 1);
    }
  }
  void print(const std::string& text, int rank) {
    metrics.take({{&worker, rank}, rank, 1, now, text});
  }
  std::vector<std::string> lines(int width) { return live_lines(facts(), width, console); }
  LiveFacts facts() const {
    return {.job_name = "ddp",
            .state = state,
            .began = now,
            .now = now,
            .metrics = metrics,
            .gpus = "",
            .lag = metrics.lag()};
  }
};

TEST_CASE("a sweep shows how many jobs are done, and the values of the best one") {
  const JobBest good{"sweep-6", "lr=3e-2", "loss", 0.275, 40};
  const JobBest bad{"sweep-1", "lr=1", "loss", 9.5, 40};
  CHECK(summary_line({5, 8, 1, {bad, good}}) ==
        "5 of 8 done, 1 failed, best loss 0.275: sweep-6 (lr=3e-2)");
  CHECK(summary_line({1, 0, 0, {good}}) == "1 done");
  const JobBest loud{"sweep-3", "lr=2", "Loss", 7.5, 40};
  CHECK(summary_line({2, 3, 0, {loud, good}}) == "2 of 3 done, best loss 0.275: sweep-6 (lr=3e-2)");
  const JobBest other{"sweep-2", "", "accuracy", 0.9, 40};
  CHECK(summary_line({2, 3, 0, {good, other}}) == "2 of 3 done");
}

TEST_CASE("the lines tell how far, how good and which replica lags") {
  World world;
  const std::vector<std::string> lines = world.lines(100);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "ddp  Running 8s  ████████░░░░░░░░░░░░ 40/100  5 it/s  ETA 12s");
  CHECK(lines[1] == "loss 0.5  █▆▃▁  best 0.5 @40  lr 0.001");
  CHECK(lines[2].ends_with("-1 lags 30 steps"));
}

TEST_CASE("the lines of several jobs stand in columns") {
  World world;
  LiveFacts facts = world.facts();
  facts.columns = {8, 0};
  CHECK(live_job(facts, 100, world.console)
            .line.starts_with("ddp       Running 8s     ████████░░░░░░░░░░░░ 40/100"));
  facts.columns = {8, 7};
  for (const auto& [values, columns] : {std::pair{"lr=0.03", "lr=0.03"}, {"lr=0.3", "lr=0.3 "}}) {
    facts.array_values = values;
    CHECK(live_job(facts, 100, world.console)
              .line.starts_with(cat("ddp       ", columns, "  Running 8s     ████████░")));
  }
  facts.columns.values = 90;  // long values are cut, and pad no more than that
  CHECK(live_job(facts, 40, world.console).line == "ddp       lr=0.3      Running 8s   ");
}

TEST_CASE("a silent job has no pace and no end in sight, and says for how long") {
  World world;
  const LiveFacts facts{"ddp",         world.state, world.now, world.now,
                        world.metrics, "",          "",        seconds(49)};
  CHECK(live_lines(facts, 100, world.console)[0] == "ddp  Running 8s  ████████░░░░░░░░░░░░ 40/100");
  CHECK(live_job(facts, 79, world.console).line ==
        "ddp  Running 8s  ████████░░░░░░░░░░░░ 40/100  silent for 49s  loss 0.5");
  CHECK(training_words(world.metrics, world.now, true) == "40/100, loss 0.5 (best 0.5 at 40)");
}

TEST_CASE("parts that do not fit are left out whole, and no line is wider than the terminal") {
  World world;
  for (int width = 10; width < 100; ++width) {
    CAPTURE(width);
    for (const std::string& line : world.lines(width)) CHECK(display_width(line) <= width);
  }
  CHECK(world.lines(20)[0] == "ddp  Running 8s");
}

TEST_CASE("a job that prints no metrics has its phase alone") {
  World world;
  const JobMetrics none;
  const auto lines =
      live_lines({"ddp", world.state, world.now, world.now, none, ""}, 80, world.console);
  CHECK(lines == std::vector<std::string>{"ddp: Running for 8s, 0/0 replicas"});
  CHECK(training_words(none, Time{}).empty());
}

TEST_CASE("rows of jobs that all fit keep their places; else what fails comes first") {
  std::vector<LiveJob> jobs = {
      {"fine", 0, 0.9}, {"behind", 0, 0.1}, {"fails", 2, 0.5}, {"waits", 1, 0}};
  CHECK(jobs_lines(jobs, 4) == std::vector<std::string>{"fine", "behind", "fails", "waits"});
  CHECK(jobs_lines(jobs, 3) == std::vector<std::string>{"fails", "waits", "and 2 more jobs"});
  World world;
  const LiveJob job = live_job(world.facts(), 100, world.console);
  CHECK(
      job.line.starts_with("ddp  Running 8s  ████████░░░░░░░░░░░░ 40/100  loss 0.5  best 0.5 @40"));
  CHECK(job.urgency == 2);  // a replica lags
  const JobMetrics none;
  const LiveJob silent =
      live_job({"ddp", world.state, world.now, world.now, none, "", "no line"}, 100, world.console);
  CHECK(silent.line == "ddp  Running 8s  no line");
  CHECK(silent.urgency == 2);
}

TEST_CASE("names of metrics cannot drive the terminal") {
  World world;
  world.print("step 50/100 loss\x1b[2J\x07: 0.1", 0);
  for (const std::string& line : world.lines(100)) {
    CHECK(line.find('\x07') == std::string::npos);
    CHECK(line.find("\x1b[2J") == std::string::npos);
  }
}

TEST_CASE("in one line: position, pace, time left, the main metric and its best value") {
  World world;
  CHECK(training_words(world.metrics, world.now) ==
        "40/100, 5 it/s, ETA 12s, loss 0.5 (best 0.5 at 40)");
}

}  // namespace live_region_test
