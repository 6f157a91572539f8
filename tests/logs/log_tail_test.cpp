// The promise of a followed log: every line once, in order, whatever happens to the connection.
#include "logs/log_tail.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/text/time.h"
#include "support/fake_cluster.h"
#include "support/tail_reading.h"

namespace trainctl::job {
namespace log_tail_test {

using namespace trainctl::testing;
using std::chrono::seconds;

TEST_CASE("a clean end of stream is not believed while the container runs") {
  FakeCluster cluster({log_answer(line(1, "a") + line(2, "b"), "", seconds(3)),
                       log_answer(line(1, "a") + line(2, "b") + line(5, "c"), "never"),
                       rest_answer(line(4, "x") + line(5, "c"))});
  const TailReading reading = follow(cluster, 6);
  CHECK(reading.lines.size() >= 3);
  CHECK(Lines(reading.lines.begin(), reading.lines.begin() + 3) == Lines{"a", "b", "c"});
}

TEST_CASE("the resume asks from the second before the last line") {
  FakeCluster cluster(
      {log_answer(line(10.5, "a"), "reset"),
       log_answer(line(10.5, "a"), "never", {}, {{"sinceTime", "2026-01-02T03:04:14Z"}}),
       rest_answer(line(10.5, "a"))});
  const TailReading reading = follow(cluster, 6);
  CHECK(reading.lines == Lines{"a"});
}

TEST_CASE("a log that starts behind the last line is reported as a possible gap") {
  // A line whose end never came belongs before the gap.
  const std::string cut = line(2, "cut").substr(0, line(2, "cut").size() - 1);
  for (const bool is_cut : {false, true}) {
    CAPTURE(is_cut);
    FakeCluster cluster({log_answer(line(1, "a") + (is_cut ? cut : ""), "reset"), run_before(""),
                         log_answer(line(60, "z"), "never"), pod_list("c1"),
                         rest_answer(line(60, "z"))});
    const TailReading reading = follow(cluster, 6);
    CHECK(reading.lines == (is_cut ? Lines{"a", "cut", "z"} : Lines{"a", "z"}));
    const bool reported =
        std::any_of(reading.notices.begin(), reading.notices.end(),
                    [](const auto& n) { return n.find("possible gap") != std::string::npos; });
    CHECK(reported);
  }
}

TEST_CASE("a stream that has met the end of a rotated file does not stay silent for ever") {
  FakeCluster cluster({log_answer(line(1, "a"), "never"),
                       log_answer(line(1, "a") + line(30, "b"), "never"),
                       rest_answer(line(30, "b"))});
  const TailReading reading = follow(cluster, 200);
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(reading.notices == Lines{});
}

TEST_CASE("lines that a node with a clock set back leaves out are reported as a possible gap") {
  FakeCluster cluster(
      {log_answer(line(100, "a") + line(1, "b") + line(2, "c"), "reset", seconds(1)),
       rest_answer(line(100, "a"))});
  const TailReading reading = follow(cluster, 2);
  CHECK(reading.lines == Lines{"a", "b", "c"});
  REQUIRE(reading.notices.size() >= 2);  // the first reports the reset
  CHECK(reading.notices[1].ends_with("its node's clock was set back"));
}

TEST_CASE("a long log whose head is gone is not taken for the whole") {
  const std::string much = line(40, std::string(70'000, 'x')) + line(41, "end");
  FakeCluster cluster({rest_answer(much)});
  const TailTask task{.asked = {.follow = false}, .started = parse_time("2026-01-02T03:04:06Z")};
  const TailReading reading = follow(cluster, {.task = task});
  REQUIRE(reading.notices.size() == 1);
  CHECK(reading.notices[0] ==
        "the log of ddp-master-0 begins 39 s after its container did: the node rotated the "
        "beginning away");
}

TEST_CASE("half a stamp before a cut is not reported as the node's word") {
  FakeCluster cluster({log_answer(line(1, "a") + "2026-01-02T03:0", "reset"),
                       rest_answer(line(1, "a") + line(2, "b"))});
  const TailReading reading = follow(cluster, 3);
  CHECK(reading.lines == Lines{"a", "b"});
  CHECK(reading.notices.size() == 1);  // of the reset
}

TEST_CASE("a log is read on at once when the connection shows that its server is back") {
  Exchange cut = unreachable();
  cut.pause = Duration{};
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), cut, cut, cut, cut,
                       log_answer(line(1, "a") + line(2, "b"), "never"),
                       rest_answer(line(1, "a") + line(2, "b"))});
  const TailReading reading = follow(cluster, 0.9);
  CHECK(reading.lines == Lines{"a", "b"});
}

TEST_CASE("error text of the node in the body is talk, not a line") {
  FakeCluster cluster(
      {log_answer("failed to create fsnotify watcher: too many open files" + line(1, "a"), "",
                  seconds(1)),
       rest_answer(line(1, "a"))});
  const TailReading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a"});
  CHECK_FALSE(reading.notices.empty());
}

TEST_CASE("a kubelet that has just started and does not know its pods yet ends no log") {
  Exchange lacks =
      log_answer(R"json({"kind":"Status","status":"Failure","code":404,"reason":"NotFound",
      "message":"the server could not find the requested resource ( pods/log ddp-master-0)"})json");
  lacks.status = 404;
  FakeCluster cluster({log_answer(line(1, "a"), "", seconds(1)), lacks, lacks,
                       log_answer(line(1, "a") + line(2, "b"), "", seconds(1)),
                       rest_answer(line(1, "a") + line(2, "b"))});
  CHECK(follow(cluster, 5).lines == Lines{"a", "b"});
}

TEST_CASE("a missing permission is an error, not an endless retry") {
  Exchange refused = log_answer(R"({"kind":"Status","status":"Failure","reason":"Forbidden",
      "message":"pods \"x\" is forbidden: User \"dev\" cannot get resource \"pods/log\" in API group \"\" in the namespace \"ml\"",
      "details":{"name":"x","kind":"pods"},"code":403})");
  refused.status = 403;
  FakeCluster cluster({refused});
  const TailReading reading = follow(cluster, Following{});
  REQUIRE_FALSE(*reading.outcome);
  CHECK(reading.outcome->error().code == Code::auth);
}

TEST_CASE("a server that has just started and knows no rights yet ends no log") {
  Exchange refused = log_answer(R"({"kind":"Status","status":"Failure","reason":"Unauthorized",
      "message":"Unauthorized","code":401})");
  refused.status = 401;
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), refused, refused,
                       log_answer(line(1, "a") + line(2, "b"), "", seconds(1)),
                       rest_answer(line(1, "a") + line(2, "b"))});
  CHECK(follow(cluster, 6).lines == Lines{"a", "b"});
}

TEST_CASE("1000 cuts at random places lose and repeat nothing") {
  std::uint64_t seed = 12345;
  const auto random = [&seed](std::uint64_t below) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (seed >> 33) % below;
  };
  constexpr int k_lines = 3000;
  std::vector<std::string> log;
  std::vector<long> second_of;
  long now_ms = 1000;
  for (int i = 0; i < k_lines; ++i) {
    now_ms += static_cast<long>(random(400));
    second_of.push_back(now_ms / 1000);
    log.push_back(line(static_cast<double>(now_ms) / 1000.0, cat("line ", i % 7 == 0 ? 0 : i)));
  }
  std::vector<Exchange> answers;
  std::size_t seen = 0;  // lines the follower has surely seen
  for (int cut = 0; cut < 1000 && seen < log.size(); ++cut) {
    const long since = seen == 0 ? 0 : second_of[seen - 1] - 1;
    std::size_t from = 0;
    while (second_of[from] < since) ++from;
    const std::size_t to = std::min<std::size_t>(log.size(), seen + random(7));
    std::string data;
    for (std::size_t i = from; i < to; ++i) data += log[i];
    if (to < log.size()) data += log[to].substr(0, random(log[to].size()));
    answers.push_back(log_answer(data, random(2) == 0 ? "reset" : ""));
    seen = std::max(seen, to);
  }
  std::string rest;
  const long since = second_of[seen - 1] - 1;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (second_of[i] >= since) rest += log[i];
  }
  answers.push_back(log_answer(rest, "never", {}, {{"follow", "true"}}));
  answers.back().repeat = true;  // an idle stream is asked for anew
  answers.push_back(rest_answer(rest));
  FakeCluster cluster(std::move(answers));
  const TailReading reading = follow(cluster, 1e6);
  REQUIRE(reading.lines.size() == log.size());
  for (int i = 0; i < k_lines; ++i) {
    REQUIRE(reading.lines[static_cast<std::size_t>(i)] == cat("line ", i % 7 == 0 ? 0 : i));
  }
}

TEST_CASE("a line that was stamped late keeps its place where a rotated log is read on") {
  FakeCluster cluster(
      {log_answer(line(1.5, "a"), "reset", seconds(1)),
       log_answer(line(2.2, "c") + line(1.4, "stamped late") + line(2.3, "e"), "reset", seconds(1)),
       pod_list("c1"), run_before(""),
       rest_answer(line(2.2, "c") + line(1.4, "stamped late") + line(2.3, "e") + line(2.4, "f"))});
  CHECK(follow(cluster, 9).lines == Lines{"a", "c", "stamped late", "e", "f"});
}

}  // namespace log_tail_test
}  // namespace trainctl::job
