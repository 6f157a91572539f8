// The status line's words: what a person sees who waits at a terminal.
#include "follow/progress_reporter.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "follow/live_region.h"
#include "support/fakes.h"

namespace progress_reporter_test {

using namespace trainctl;
using namespace trainctl::job;
using std::chrono::seconds;

TEST_CASE("a person who waits sees what for, since when and why") {
  const Time began = *parse_time("2026-01-02T03:00:00Z");
  JobState state;
  state.phase = Phase::pending;
  CHECK(status_line("ddp", state, began, began + seconds(40)) == "ddp: Pending for 40s");
  state.since = began + seconds(30);
  state.message = "worker-1: ImagePullBackOff";
  CHECK(status_line("ddp", state, began, began + seconds(40)) ==
        "ddp: Pending for 10s: worker-1: ImagePullBackOff");
}

TEST_CASE("a person who follows sees how many replicas run") {
  JobState state;
  state.phase = Phase::running;
  state.replicas.resize(2);
  state.replicas[0].run.state = RunState::running;
  CHECK(status_line("ddp", state, Time{}, Time{} + seconds(5)) ==
        "ddp: Running for 5s, 1/2 replicas");
}

TEST_CASE("the status line counts the seconds as long as it lives and then goes") {
  testing::FakeLoop loop;
  testing::BufferConsole console;
  console.out_is_tty = console.err_is_tty = console.redraws = true;
  bool over = false;
  const HandlePtr end = loop.after(std::chrono::milliseconds(2500), [&over] { over = true; });
  {
    const Time began = loop.now();
    const StatusLine line(console, loop, [&] {
      return StatusLine::Shown{{format_age(loop.now() - began)}, {}};
    });
    loop.run_until([&over] { return over; });
  }
  CHECK(console.stderr_text == "1s\r\x1b[J2s\r\x1b[J");
}

TEST_CASE("an event that comes again is told once, unless the cluster has counted it again") {
  testing::FakeLoop loop;
  testing::BufferConsole console;
  ProgressReporter reporter(console, loop, "ddp", {});
  Json event{{"metadata", {{"uid", "e"}}}, {"type", "Warning"}, {"reason", "Failed"}};
  std::vector<Json> events = {event};
  event["count"] = 1;
  events.push_back(event);
  reporter.report_events(events);
  CHECK(std::ranges::count(console.stderr_text, '\n') == 1);
  event["count"] = 2;
  reporter.report_events({{event}});
  CHECK(std::ranges::count(console.stderr_text, '\n') == 2);
}

TEST_CASE("a job whose cluster does not answer is not said to be running") {
  testing::FakeLoop loop;
  testing::BufferConsole console;
  ProgressReporter reporter(console, loop, "ddp", {});
  JobState running;
  running.phase = Phase::running;
  reporter.see(running);
  reporter.start();
  reporter.on_trouble("cluster not reachable");
  bool over = false;
  const HandlePtr end = loop.after(seconds(31), [&over] { over = true; });
  loop.run_until([&over] { return over; });
  CHECK(console.stderr_text.find("ddp: no contact with the cluster for 30s; last seen Running") !=
        std::string::npos);
  reporter.on_trouble("");
  CHECK_FALSE(reporter.lost_contact());
}

TEST_CASE("a fault of the network is told although another one was told long before it") {
  testing::FakeLoop loop;
  testing::BufferConsole console;
  ProgressReporter reporter(console, loop, "ddp", {});
  const Role worker;
  const auto print = [&](int rank, const std::string& text) {
    LogOrigin origin;
    origin.replica = {&worker, rank};
    kube::LogLine line;
    line.text = text;
    reporter.on_line(origin, line);
  };
  JobState state;
  state.phase = Phase::running;
  state.replicas.resize(2);
  state.replicas[0].pod.node = "node-a";
  state.replicas[1].pod.node = "node-b";
  reporter.see(state);
  const auto wait = [&loop] {
    bool over = false;
    const HandlePtr end = loop.after(seconds(60), [&over] { over = true; });
    loop.run_until([&over] { return over; });
  };
  print(0, "gpu-7:71:90 [0] NCCL INFO Using network Socket");
  wait();
  CHECK(console.stderr_text.find("NCCL talks over TCP") != std::string::npos);
  print(0, "gpu-7:71:90 [0] NCCL INFO NCCL version 2.18.1+cuda12.1");
  print(1, "gpu-8:71:90 [0] NCCL INFO NCCL version 2.21.5+cuda12.4");
  wait();
  CHECK(console.stderr_text.find("2.21.5") != std::string::npos);
}

TEST_CASE("the last metrics of a fast log count, although words follow them") {
  testing::FakeLoop loop;
  testing::BufferConsole console;
  ProgressReporter reporter(console, loop, "ddp", {});
  const Role worker;
  LogOrigin origin;
  origin.replica = {&worker, 0};
  origin.rank = 0;
  constexpr int k_last = 30'000;
  const auto print = [&](const std::string& text) {
    kube::LogLine line;
    line.text = text;
    reporter.on_line(origin, line);
  };
  for (int step = 1; step <= k_last; ++step) print(cat("step ", step, "/30000 loss 0.5"));
  print("saved the model");
  print("done");
  CHECK(reporter.metrics().record().position.step < k_last);
  reporter.take_skipped_lines();
  CHECK(reporter.metrics().record().position.step == k_last);
}

}  // namespace progress_reporter_test
