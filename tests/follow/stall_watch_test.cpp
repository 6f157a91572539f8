// When a silence is reported, and what does not count as one.
#include "follow/stall_watch.h"

#include <chrono>

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace trainctl::job {
namespace stall_watch_test {

using std::chrono::seconds;

struct Watched {
  testing::FakeLoop loop;
  int stalls = 0;
  StallWatch watch{loop, seconds(10), [this] { ++stalls; }};

  void pass(int time) {
    bool is_over = false;
    const HandlePtr end = loop.after(seconds(time), [&is_over] { is_over = true; });
    loop.run_until([&is_over] { return is_over; });
  }
};

TEST_CASE("a silence is reported once, and the next one after further output") {
  Watched job;
  job.watch.set_running(true);
  job.pass(9);
  job.watch.on_output();
  job.pass(9);
  CHECK(job.stalls == 0);
  job.pass(2);
  CHECK(job.stalls == 1);
  CHECK(job.watch.stalled() == seconds(11));
  job.pass(100);
  CHECK(job.stalls == 1);
  job.watch.on_output();
  CHECK_FALSE(job.watch.stalled());
  job.pass(11);
  CHECK(job.stalls == 2);
}

TEST_CASE(
    "a silence that was no reason to act is looked at again when it has lasted as long again") {
  Watched job;
  job.watch.set_running(true);
  job.pass(11);
  CHECK(job.stalls == 1);
  job.watch.go_on();
  CHECK_FALSE(job.watch.stalled());
  job.pass(11);
  CHECK(job.stalls == 2);
  CHECK(job.watch.stalled() == seconds(22));
}

TEST_CASE("a job that does not run, a lost cluster and a slow reader are not silences of the job") {
  Watched job;
  job.pass(100);
  job.watch.set_running(true);
  job.pass(6);
  job.watch.set_reachable(false);
  job.pass(100);
  job.watch.set_reachable(true);
  job.pass(6);
  job.watch.set_reading(false);
  job.pass(100);
  job.watch.set_reading(true);
  job.pass(6);
  job.watch.set_running(false);
  job.pass(100);
  CHECK(job.stalls == 0);
  job.watch.set_running(true);
  job.pass(11);
  CHECK(job.stalls == 1);
  job.watch.set_running(false);
  job.watch.set_running(true);
  job.pass(100);
  CHECK(job.stalls == 1);
}

TEST_CASE("nothing is reported after the verdict, or without a limit") {
  Watched job;
  job.watch.set_running(true);
  job.watch.stop();
  job.watch.on_output();
  job.pass(100);
  CHECK(job.stalls == 0);
  StallWatch never(job.loop, std::nullopt, [&job] { ++job.stalls; });
  never.set_running(true);
  never.on_output();
  job.pass(1000);
  CHECK(job.stalls == 0);
}

}  // namespace stall_watch_test
}  // namespace trainctl::job
