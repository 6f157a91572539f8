// A server does not say of which run an answer is: no line may come under another run's number.
#include <doctest/doctest.h>

#include "base/text/time.h"
#include "logs/log_tail.h"
#include "support/fake_cluster.h"
#include "support/tail_reading.h"

namespace trainctl::job {
namespace log_tail_runs_test {

using namespace trainctl::testing;
using std::chrono::seconds;

TailReading follow_replaced(FakeCluster& cluster, double ends_at, const char* finished,
                            TailTask task = {}) {
  const RunEnd end{.replaced = true, .may_restart = true, .finished = parse_time(finished)};
  return follow(cluster, {.ends_at = ends_at, .end = end, .task = std::move(task)});
}

TailTask started_at(const char* time) {
  return {.started = parse_time(time)};
}

constexpr std::string_view k_gap =
    "possible gap in the log of ddp-master-0 between 2026-01-02T03:04:06Z and "
    "2026-01-02T03:05:05Z: the node has rotated it";

TEST_CASE("a restart that no status has reported yet does not put its lines under the run before") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), log_answer(line(5, "next run"), "never"),
                       pod_list("c2", "c1"), log_answer(line(5, "next run"), "never"),
                       rest_answer(line(1, "a") + line(2, "b"))});
  const TailReading reading = follow_replaced(cluster, 6, "2026-01-02T03:04:07Z");
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(reading.notices.size() == 1);  // of the reset
}

TEST_CASE("a node knows of a restart that it could not report to the API server yet") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), run_before(line(2, "b")),
                       log_answer(line(5, "next run"), "never"), pod_list("c1"),
                       log_answer(line(5, "next run"), "never"),
                       rest_answer(line(1, "a") + line(2, "b"))});
  const TailReading reading = follow_replaced(cluster, 6, "2026-01-02T03:04:07Z");
  CHECK(reading.lines == Lines{"a", "b"});
}

TEST_CASE("the run before, as the node knows it, is not taken for the one that is read") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), run_before(line(0.5, "run before")),
                       log_answer(line(60, "z"), "never"), pod_list("c1", "c0"),
                       rest_answer(line(60, "z"))});
  const TailReading reading = follow(cluster, 10);
  CHECK(reading.lines == Lines{"a", "z"});
  CHECK(reading.notices.back() == k_gap);
}

TEST_CASE("a node that does not say which runs it knows of keeps no lines for ever") {
  Exchange silent = run_before(line(2, "b"));
  silent.chunks.clear();
  silent.ending = "never";
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), silent,
                       log_answer(line(60, "z"), "never"), pod_list("c1"),
                       rest_answer(line(60, "z"))});
  const TailReading reading = follow(cluster, 20);
  CHECK(reading.lines == Lines{"a", "z"});
}

TEST_CASE("lines after a gap come once the status has shown that they are of this run") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), run_before(""),
                       log_answer(line(60, "y") + line(61, "z"), "never"), pod_list("c1"),
                       rest_answer(line(60, "y") + line(61, "z"))});
  const TailReading reading = follow(cluster, 10);
  CHECK(reading.lines == Lines{"a", "y", "z"});
  CHECK(reading.notices.back() == k_gap);
}

TEST_CASE("a burst whose run is not known yet neither fills memory nor is lost") {
  const std::string much =
      line(60, std::string(700'000, 'x')) + line(61, std::string(700'000, 'y'));
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), run_before(""),
                       log_answer(much + line(62, "z"), "never"), pod_list("c1"),
                       rest_answer(much + line(62, "z"))});
  const TailReading reading = follow(cluster, 10);
  CHECK(reading.lines.size() == 4);
  CHECK(reading.lines.back() == "z");
}

TEST_CASE("a server that does not list its pods does not keep lines for ever") {
  Exchange refused = pod_list("");
  refused.status = 403;
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), log_answer(line(60, "z"), "never"),
                       refused, rest_answer(line(60, "z"))});
  const TailReading reading = follow(cluster, 10);
  CHECK(reading.lines == Lines{"a", "z"});
  CHECK(reading.notices.size() == 3);  // of the reset, of the refusal, of the gap
}

TEST_CASE("a log whose first answer came late is not taken for that of a run that is over") {
  FakeCluster cluster({unreachable(), unreachable(), log_answer(line(30, "next run"), "never"),
                       rest_answer(line(1, "a"))});
  const TailReading reading =
      follow_replaced(cluster, 2.5, "2026-01-02T03:04:10Z", started_at("2026-01-02T03:04:05Z"));
  CHECK(reading.lines == Lines{"a"});
}

TEST_CASE("the next run, printed while no status knew of it, is not printed once more") {
  FakeCluster cluster({log_answer(line(5, "next run"), "never"), rest_answer(line(1, "a"))});
  const TailReading reading = follow_replaced(cluster, 6, "2026-01-02T03:04:07Z");
  CHECK(reading.lines == Lines{"next run", "a"});
  REQUIRE(reading.handover.ahead);
  CHECK(format_time(reading.handover.ahead->last) == "2026-01-02T03:04:10Z");
}

TEST_CASE("lines of a run that ended within its first second are not taken for the next one's") {
  FakeCluster cluster({log_answer(line(1.2, "a"), "never"), rest_answer(line(1.2, "a"))});
  const TailReading reading = follow_replaced(cluster, 2, "2026-01-02T03:04:06Z");
  CHECK(reading.lines == Lines{"a"});
  CHECK_FALSE(reading.handover.ahead);
}

TEST_CASE("an old status does not show whose the first lines are") {
  FakeCluster cluster(
      {log_answer(line(30, "namesake pod"), "never"), pod_list(""), rest_answer(line(1, "a"))});
  TailTask task = started_at("2026-01-02T03:04:05Z");
  task.known_at = cluster.loop.now() - seconds(5);
  const TailReading reading = follow(cluster, {.ends_at = 3, .task = task});
  CHECK(reading.lines == Lines{"a"});
}

TEST_CASE("a first line waits for no status when its log was there at once") {
  FakeCluster cluster({log_answer(line(30, "a"), "never"), rest_answer(line(30, "a"))});
  const TailReading reading =
      follow(cluster, {.ends_at = 1, .task = started_at("2026-01-02T03:04:05Z")});
  CHECK(reading.lines == Lines{"a"});
}

TEST_CASE(
    "an unattributed answer of a deleted pod is reported as a possible gap, since nobody knows "
    "its run") {
  Exchange gone = log_answer("");
  gone.status = 404;
  FakeCluster cluster(
      {log_answer(line(1, "a"), "reset"), log_answer(line(60, "z"), "reset", seconds(1)), gone});
  const TailReading reading = follow(cluster, Following{});
  CHECK(reading.lines == Lines{"a"});
  CHECK(reading.notices.back() ==
        "possible gap in the log of ddp-master-0 after "
        "2026-01-02T03:04:06Z: its pod was deleted meanwhile");
}

TEST_CASE("where logs outlive pods a run is read to its end, however many have followed it") {
  Exchange rest = log_answer(line(1, "a") + line(2, "b"), "", {}, {{"containerID", "c1"}});
  rest.repeat = true;
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), rest});
  TailTask task;
  task.asked.kept_pods = "/kept";
  const RunEnd end{.replaced = true, .removed = true, .may_restart = true};
  const TailReading reading = follow(cluster, {.ends_at = 2, .end = end, .task = task});
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(reading.notices.size() == 1);  // of the reset
}

// On a real cluster, which answers for the current run whatever run is meant.
TEST_CASE("an empty answer of the next run is not taken for this run's log without its lines") {
  Exchange owner = pod_list("c1");
  owner.repeat = true;
  Exchange before = run_before(line(1, "a"));
  before.repeat = true;
  Exchange previous = log_answer(line(1, "a"), "", {}, {{"previous", "true"}});
  previous.repeat = true;
  FakeCluster cluster(
      {log_answer(line(1, "a"), "", seconds(1)), owner, before, previous, rest_answer("")});
  TailReading reading;
  LogTail tail(*cluster.client, {.target = {"ml", "ddp-master-0", "uid", "pytorch", "c1"}},
               reading);
  const HandlePtr ends = cluster.loop.after(
      std::chrono::milliseconds(500), [&tail] { tail.container_ended({.may_restart = true}); });
  const HandlePtr told = cluster.loop.after(
      seconds(9), [&tail] { tail.container_ended({.replaced = true, .may_restart = true}); });
  cluster.loop.run_until([&reading] { return reading.outcome.has_value(); });
  CHECK(reading.lines == Lines{"a"});
  CHECK(reading.notices.empty());
  CHECK(cluster.loop.now() - testing::k_begin >= seconds(9));
}

}  // namespace log_tail_runs_test
}  // namespace trainctl::job
