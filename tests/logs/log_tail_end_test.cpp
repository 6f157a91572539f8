// A followed log whose container has ended or was replaced.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "logs/log_tail.h"
#include "support/fake_cluster.h"
#include "support/tail_reading.h"

namespace trainctl::job {
namespace log_tail_end_test {

using namespace trainctl::testing;
using std::chrono::seconds;

TEST_CASE(
    "LG-22 lines after a restart while nobody listened are not printed under the run before") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), log_answer(line(5, "next run"), "never"),
                       pod_list("c2", "c1"), rest_answer(line(1, "a") + line(2, "b"))});
  const TailReading reading = follow(
      cluster,
      {.ends_at = 2, .end = {.may_restart = true, .finished = parse_time("2026-01-02T03:04:07Z")}});
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(reading.notices.size() == 1);  // of the reset
}

TEST_CASE("a read of the rest that ends too early, though cleanly, does not cost the last lines") {
  FakeCluster cluster({log_answer(line(1, "a"), "", seconds(1)), log_answer(""),
                       log_answer(line(1, "a") + line(2, "b")),
                       rest_answer(line(1, "a") + line(2, "b") + line(3, "c"))});
  CHECK(follow(cluster, 0.5).lines == Lines{"a", "b", "c"});
}

TEST_CASE(
    "an answer that ends before the line printed last does not confirm that the log ends there") {
  FakeCluster cluster({log_answer(line(1, "a") + line(2, "b"), "reset", seconds(1)),
                       log_answer(line(1, "a")), log_answer(line(1, "a") + line(2, "b")),
                       rest_answer(line(1, "a") + line(2, "b") + line(3, "c"))});
  CHECK(follow(cluster, 0.5).lines == Lines{"a", "b", "c"});
}

TEST_CASE("a server that is away for a minute when a container ends does not cost the last lines") {
  std::vector<Exchange> answers = {log_answer(line(1, "a"), "reset", seconds(1)), log_answer("")};
  for (int attempt = 0; attempt < 8; ++attempt) answers.push_back(unreachable());
  answers.push_back(rest_answer(line(1, "a") + line(2, "b")));
  FakeCluster cluster(std::move(answers));
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(*reading.outcome);
}

TEST_CASE("a long rest is read to its end, however often the connection breaks on the way") {
  std::vector<Exchange> answers = {log_answer(line(1, "1"), "", seconds(1))};
  Lines whole = {"1"};
  std::string log = line(1, "1");
  for (int number = 2; number <= 40; ++number) {
    answers.push_back(log_answer(log, "reset"));  // before anything new
    whole.push_back(std::to_string(number));
    log += line(1, whole.back());
  }
  answers.push_back(rest_answer(log));
  FakeCluster cluster(std::move(answers));
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == whole);
  CHECK(*reading.outcome);
}

TEST_CASE(
    "a rest that each answer cuts behind the same line is given up, not asked for without end") {
  Exchange cut = log_answer(line(1, "a"), "reset");
  cut.repeat = true;
  FakeCluster cluster({log_answer(line(1, "a"), "reset", seconds(1)), cut});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a"});
  CHECK(!*reading.outcome);
  CHECK(reading.notices.size() < 20);
}

TEST_CASE("a rest that could not be had is an error, though an answer ended before it") {
  Exchange refused = log_answer(R"({"kind":"Status","code":400,"message":"not found"})");
  refused.status = 400;
  FakeCluster cluster({log_answer(line(1, "a"), "reset", seconds(1)), log_answer(""), refused});
  CHECK_FALSE(*follow(cluster, 0.5).outcome);
}

TEST_CASE(
    "a pod made anew under the same name does not hide that the old one's last lines are gone") {
  Exchange waits =
      log_answer(R"({"kind":"Status","status":"Failure","code":400,"reason":"BadRequest",
      "message":"container \"pytorch\" in pod \"ddp-master-0\" is waiting to start: ContainerCreating"})");
  waits.status = 400;
  waits.repeat = true;
  FakeCluster cluster({log_answer(line(1, "a"), "reset", seconds(1)), waits});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a"});
  CHECK(reading.notices.back() ==
        "possible gap in the log of ddp-master-0 after 2026-01-02T03:04:06Z: its pod was deleted "
        "meanwhile");
}

TEST_CASE("a stream that fell silent does not confirm that the log ends there") {
  FakeCluster cluster({log_answer(line(1, "a"), "never"), log_answer(line(1, "a")),
                       rest_answer(line(1, "a") + line(2, "b"))});
  CHECK(follow(cluster, 0.5).lines == Lines{"a", "b"});
}

TEST_CASE(
    "a log whose end the node has rotated away is neither read for ever nor taken for whole") {
  FakeCluster cluster({log_answer(line(1, "a"), "", seconds(1)), rest_answer("")});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a"});
  CHECK(reading.notices == Lines{"possible gap in the log of ddp-master-0 after "
                                 "2026-01-02T03:04:06Z: the node has rotated it"});
}

TEST_CASE("a node whose clock was set back is not said to have rotated the log as well") {
  FakeCluster cluster(
      {log_answer(line(100, "a") + line(1, "b"), "", seconds(1)), rest_answer(line(1, "b"))});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(reading.notices == Lines{"possible gap in the log of ddp-master-0 after "
                                 "2026-01-02T03:05:45Z: its node's clock was set back"});
}

TEST_CASE("a rest that was read and cannot be confirmed is no error") {
  Exchange refused = log_answer(R"({"kind":"Status","code":400,"message":"not found"})");
  refused.status = 400;
  FakeCluster cluster(
      {log_answer(line(1, "a"), "", seconds(1)), log_answer(line(1, "a") + line(2, "b")), refused});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(*reading.outcome);
}

TEST_CASE("a quick restart repeats nothing, though the server showed it for the run before") {
  FakeCluster first({log_answer(line(1, "crash"), "", seconds(0)),
                     rest_answer(line(1, "crash") + line(2, "second run"))});
  const TailReading ended =
      follow(first, {.ends_at = 0, .end = {.finished = parse_time("2026-01-02T03:04:07Z")}});
  CHECK(ended.lines == Lines{"crash", "second run"});
  CHECK(ended.notices.empty());

  FakeCluster second({log_answer(line(2, "second run") + line(4, "its work"), "", seconds(0)),
                      rest_answer(line(4, "its work"))});
  const TailReading next = follow(second, {.ends_at = 0,
                                           .end = {.finished = parse_time("2026-01-02T03:04:09Z")},
                                           .task = {.before = ended.handover}});
  CHECK(next.lines == Lines{"its work"});
  CHECK(next.notices.empty());
}

TEST_CASE("lines that a busy node stamped after the end of their run are not lost") {
  FakeCluster cluster({log_answer(line(1, "a"), "", seconds(0)),
                       log_answer(line(1, "a") + line(8, "b") + line(9, "c")),
                       rest_answer(line(1, "a") + line(8, "b") + line(9, "c"))});
  const TailReading reading = follow(
      cluster,
      {.ends_at = 0, .end = {.may_restart = true, .finished = parse_time("2026-01-02T03:04:07Z")}});
  CHECK(reading.lines == Lines{"a", "b", "c"});
}

TEST_CASE("a server away for longer than a stream may be silent does not cost the last lines") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset", seconds(1)), unreachable(), unreachable(),
                       unreachable(), unreachable(), rest_answer(line(1, "a") + line(2, "b"))});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b"});
}

TEST_CASE("the rest of a log that does not come is asked for again") {
  Exchange silent = log_answer("", "never");
  FakeCluster cluster(
      {log_answer(line(1, "a"), "", seconds(1)), silent, rest_answer(line(1, "a") + line(2, "b"))});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b"});
}

const std::string k_unreadable = "unable to retrieve container logs for containerd://c1";

TEST_CASE("a log that its node could not read is not taken for an empty one") {
  FakeCluster cluster({rest_answer(k_unreadable)});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.notices == Lines{"the node says: " + k_unreadable,
                                 "possible gap in the log of ddp-master-0: its node could not read "
                                 "it"});
}

TEST_CASE("a log that its node cannot read at first is read once it can") {
  Exchange unreadable = rest_answer(k_unreadable);
  unreadable.repeat = false;
  FakeCluster cluster({unreadable, unreadable, pod_list("c1"), rest_answer(line(1, "a"))});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a"});
  CHECK(reading.notices.size() == 1);
}

TailReading read_as_it_is(FakeCluster& cluster) {
  return follow(cluster, {.task = {.asked = {.follow = false}}});
}

TEST_CASE("a log that is asked for as it is now, and is not there, is an error and no empty log") {
  Exchange gone = log_answer(R"({"kind":"Status","status":"Failure","code":404,
      "reason":"NotFound","message":"pods \"ddp-master-0\" not found"})");
  gone.status = 404;
  FakeCluster deleted({gone});
  CHECK(read_as_it_is(deleted).outcome->error().code == Code::not_found);
  Exchange waits = log_answer(R"({"kind":"Status","status":"Failure","code":400,
      "message":"container \"pytorch\" in pod \"x\" is waiting to start: ContainerCreating"})");
  waits.status = 400;
  FakeCluster replaced({waits});
  CHECK_FALSE(*read_as_it_is(replaced).outcome);
  FakeCluster unreadable({rest_answer(k_unreadable)});
  CHECK_FALSE(*read_as_it_is(unreadable).outcome);
}

TEST_CASE("a log that is gone is reported with the reason, whatever is still under way") {
  FakeCluster cluster({log_answer(line(1, "a") + line(2, "b"), "never")});
  TailReading reading;
  LogTail tail(*cluster.client, {.target = {"ml", "ddp-master-0", "u", "pytorch", "c1"}}, reading);
  const HandlePtr later =
      cluster.loop.after(seconds(1), [&tail] { tail.container_ended({.removed = true}); });
  cluster.loop.run_until([&reading] { return reading.outcome.has_value(); });
  REQUIRE(reading.notices.size() == 1);
  CHECK(reading.notices[0].starts_with("possible gap in the log of "));
  CHECK(reading.notices[0].ends_with("its container was restarted twice meanwhile"));
}

TEST_CASE("an unfinished line that was all there was is printed when its pod goes") {
  Exchange gone = log_answer(R"({"kind":"Status","status":"Failure","code":404,
      "reason":"NotFound","message":"pods \"ddp-master-0\" not found"})");
  gone.status = 404;
  FakeCluster cluster({log_answer(stamp(1) + " half", "", seconds(1)), gone});
  const TailTask task{.started = parse_time("2026-01-02T03:04:00Z")};
  CHECK(follow(cluster, {.task = task}).lines == Lines{"half"});
}

// A log whose last line was cut when its container was removed, as a kubelet ends the stream.
Exchange cut_by_node() {
  return log_answer(line(1, "1") + stamp(2) +
                        R"( 2rpc error: code = NotFound desc = an error occurred when try to find )"
                        R"(container "c1": not found)",
                    "", seconds(1));
}

constexpr std::string_view k_not_found =
    R"(the node says: rpc error: code = NotFound desc = an error occurred when try to find )"
    R"(container "c1": not found)";

TEST_CASE("words of the node behind a cut last line are not printed as the job's") {
  Exchange gone = log_answer(R"({"kind":"Status","status":"Failure","code":404,
      "reason":"NotFound","message":"pods \"ddp-master-0\" not found"})");
  gone.status = 404;
  FakeCluster cluster({cut_by_node(), gone});
  const TailReading reading = follow(cluster, Following{});
  CHECK(reading.lines == Lines{"1", "2"});
  CHECK(reading.notices == Lines{std::string(k_not_found),
                                 "possible gap in the log of ddp-master-0 after "
                                 "2026-01-02T03:04:07Z: its pod was deleted meanwhile"});
}

TEST_CASE("a last line that was cut by words of the node is read again") {
  FakeCluster cluster({cut_by_node(), rest_answer(line(1, "1") + line(2, "25123"))});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"1", "25123"});
  CHECK(reading.notices == Lines{std::string(k_not_found)});
}

TEST_CASE("a rest that ends in words of the node does not show that the log ends there") {
  const std::string unreadable = "unable to retrieve container logs for containerd://c1";
  FakeCluster cluster({log_answer(line(1, "a"), "", seconds(1)),
                       log_answer(line(1, "a") + unreadable), log_answer(line(1, "a") + unreadable),
                       rest_answer(line(1, "a") + line(2, "b"))});
  CHECK(follow(cluster, 0.5).lines == Lines{"a", "b"});
}

TEST_CASE("LG-02 a last line without newline is printed once, at the end") {
  FakeCluster cluster({
      log_answer(line(1, "a") + stamp(2) + " half", "", seconds(1)),
      rest_answer(line(1, "a") + stamp(2) + " half and more\n" + stamp(3) + " end"),
  });
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "half and more", "end"});
}

TEST_CASE("a run that printed nothing lacks no line, though the run before it printed some") {
  FakeCluster before({rest_answer(line(1, "a"))});
  TailTask task;
  task.before = follow(before, 2).handover;
  FakeCluster cluster({rest_answer("")});
  const TailReading reading = follow(cluster, {.ends_at = 5, .task = task});
  CHECK(reading.lines.empty());
  CHECK(reading.notices.empty());
  CHECK(*reading.outcome);
}

}  // namespace log_tail_end_test
}  // namespace trainctl::job
