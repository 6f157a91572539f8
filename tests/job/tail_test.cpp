// The promise of a followed log: every line once, in order, whatever happens to the connection.
#include "job/tail.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "base/text.h"
#include "base/time.h"
#include "support/fake_cluster.h"

namespace trainctl::job {
namespace {

using namespace trainctl::testing;
using std::chrono::seconds;

std::string stamp(double second) {
  const auto time = Time(
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1767323045 + second)));
  return format_time(time, true);
}

std::string line(double second, std::string_view text) {
  return cat(stamp(second), " ", text, "\n");
}

// One answer to a log request: what it sends and how it ends.
Exchange log_answer(std::string data, std::string ending = "", Duration ends_after = {},
                    std::vector<std::pair<std::string, std::string>> query = {}) {
  Exchange exchange;
  exchange.path = "/api/v1/namespaces/ml/pods/ddp-master-0/log";
  exchange.query = std::move(query);
  exchange.chunks = {{Duration{}, std::move(data)}};
  exchange.ending = std::move(ending);
  exchange.ends_after = ends_after;
  return exchange;
}

struct Reading {
  std::vector<std::string> lines;
  std::vector<std::string> notices;
  std::optional<Status> outcome;
  ToldLines told;
};

// Follows to the end; the container is reported ended at `ends_at` (never when negative).
Reading follow(FakeCluster& cluster, double ends_at, TailOptions options = {},
               std::optional<Time> finished = std::nullopt, ToldLines told = {},
               bool may_restart = false) {
  Reading reading;
  TailHandlers handlers;
  handlers.on_line = [&](const kube::LogLine& l) { reading.lines.emplace_back(l.text); };
  handlers.on_notice = [&](const std::string& notice) { reading.notices.push_back(notice); };
  handlers.on_done = [&](Status status) { reading.outcome = std::move(status); };
  Tail tail(*cluster.client, {"ml", "ddp-master-0", "uid", "pytorch", "c1"}, options,
            std::move(handlers), std::move(told));
  HandlePtr timer;
  if (ends_at >= 0) {
    timer = cluster.loop.after(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(ends_at)), [&] {
          tail.container_ended({false, may_restart, finished});
        });
  }
  cluster.loop.run_until([&] { return reading.outcome.has_value(); });
  reading.told = tail.told();
  CHECK(cluster.transport->complaints().empty());
  return reading;
}

using Lines = std::vector<std::string>;

TEST_CASE("a clean end of stream is not believed while the container runs") {
  FakeCluster cluster({log_answer(line(1, "a") + line(2, "b"), "", seconds(3)),
                       log_answer(line(1, "a") + line(2, "b") + line(5, "c"), "never"),
                       log_answer(line(4, "x") + line(5, "c"))});
  const Reading reading = follow(cluster, 6);
  CHECK(reading.lines.size() >= 3);
  CHECK(Lines(reading.lines.begin(), reading.lines.begin() + 3) == Lines{"a", "b", "c"});
}

TEST_CASE("LG-16 lines of the last second already told are not told again") {
  FakeCluster cluster({log_answer(line(1.1, "a") + line(1.2, "b"), "reset"),
                       log_answer(line(1.1, "a") + line(1.2, "b") + line(1.3, "c"), "never"),
                       log_answer(line(1.1, "a") + line(1.2, "b") + line(1.3, "c"))});
  const Reading reading = follow(cluster, 6);
  CHECK(reading.lines == Lines{"a", "b", "c"});
}

TEST_CASE("LG-17 the same text at the same nanosecond twice is two lines") {
  FakeCluster cluster({log_answer(line(1, "same"), "reset"),
                       log_answer(line(1, "same") + line(1, "same"), "never"),
                       log_answer(line(1, "same") + line(1, "same"))});
  const Reading reading = follow(cluster, 6);
  CHECK(reading.lines == Lines{"same", "same"});
}

TEST_CASE("the resume asks from the second before the last line") {
  FakeCluster cluster(
      {log_answer(line(10.5, "a"), "reset"),
       log_answer(line(10.5, "a"), "never", {}, {{"sinceTime", "2026-01-02T03:04:14Z"}}),
       log_answer(line(10.5, "a"))});
  const Reading reading = follow(cluster, 6);
  CHECK(reading.lines == Lines{"a"});
}

TEST_CASE("a log that starts behind the last line is told as a possible gap") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), log_answer(line(60, "z"), "never"),
                       log_answer(line(60, "z"))});
  const Reading reading = follow(cluster, 6);
  CHECK(reading.lines == Lines{"a", "z"});
  const bool told = std::any_of(reading.notices.begin(), reading.notices.end(), [](const auto& n) {
    return n.find("possible gap") != std::string::npos;
  });
  CHECK(told);
}

TEST_CASE("a quick restart repeats nothing, though the server showed it for the run before") {
  FakeCluster first({log_answer(line(1, "crash"), "", seconds(0)),
                     log_answer(line(1, "crash") + line(2, "second run"))});
  const Reading ended = follow(first, 0, {}, *parse_time("2026-01-02T03:04:07Z"));
  CHECK(ended.lines == Lines{"crash", "second run"});
  CHECK(ended.notices.empty());

  FakeCluster second({log_answer(line(2, "second run") + line(4, "its work"), "", seconds(0)),
                      log_answer(line(4, "its work"))});
  const Reading next = follow(second, 0, {}, *parse_time("2026-01-02T03:04:09Z"), ended.told);
  CHECK(next.lines == Lines{"its work"});
  CHECK(next.notices.empty());
}

TEST_CASE("lines that a busy node stamped after the end of their run are not lost") {
  FakeCluster cluster({log_answer(line(1, "a"), "", seconds(0)),
                       log_answer(line(1, "a") + line(8, "b") + line(9, "c")),
                       log_answer(line(1, "a") + line(8, "b") + line(9, "c"))});
  const Reading reading = follow(cluster, 0, {}, *parse_time("2026-01-02T03:04:07Z"), {}, true);
  CHECK(reading.lines == Lines{"a", "b", "c"});
}

Exchange unreachable() {
  Exchange exchange = log_answer("");
  exchange.chunks.clear();
  exchange.ending = "refused";
  return exchange;
}

TEST_CASE("a server away for longer than a stream may be silent does not cost the last lines") {
  FakeCluster cluster({log_answer(line(1, "a"), "reset", seconds(1)), unreachable(), unreachable(),
                       unreachable(), unreachable(), log_answer(line(1, "a") + line(2, "b"))});
  const Reading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b"});
}

TEST_CASE("the rest of a log that does not come is asked for again") {
  Exchange silent = log_answer("", "never");
  FakeCluster cluster(
      {log_answer(line(1, "a"), "", seconds(1)), silent, log_answer(line(1, "a") + line(2, "b"))});
  const Reading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "b"});
}

TEST_CASE("a log is read on at once when the connection tells that its server is back") {
  Exchange cut = unreachable();
  cut.pause = Duration{};
  FakeCluster cluster({log_answer(line(1, "a"), "reset"), cut, cut, cut, cut,
                       log_answer(line(1, "a") + line(2, "b"), "never"),
                       log_answer(line(1, "a") + line(2, "b"))});
  const Reading reading = follow(cluster, 0.9);
  CHECK(reading.lines == Lines{"a", "b"});
}

TEST_CASE("LG-02 a last line without newline is told once, at the end") {
  FakeCluster cluster({
      log_answer(line(1, "a") + stamp(2) + " half", "", seconds(1)),
      log_answer(line(1, "a") + stamp(2) + " half and more\n" + stamp(3) + " end"),
  });
  const Reading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a", "half and more", "end"});
}

TEST_CASE("error text of the node in the body is talk, not a line") {
  FakeCluster cluster(
      {log_answer("failed to create fsnotify watcher: too many open files" + line(1, "a"), "",
                  seconds(1)),
       log_answer(line(1, "a"))});
  const Reading reading = follow(cluster, 0.5);
  CHECK(reading.lines == Lines{"a"});
  CHECK_FALSE(reading.notices.empty());
}

TEST_CASE("a missing permission is an error, not an endless retry") {
  Exchange refused = log_answer(R"({"kind":"Status","status":"Failure","reason":"Forbidden",
      "message":"pods \"x\" is forbidden: User \"dev\" cannot get resource \"pods/log\" in API group \"\" in the namespace \"ml\"",
      "details":{"name":"x","kind":"pods"},"code":403})");
  refused.status = 403;
  FakeCluster cluster({refused});
  const Reading reading = follow(cluster, -1);
  REQUIRE_FALSE(*reading.outcome);
  CHECK(reading.outcome->error().code == Code::auth);
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
  std::size_t told = 0;  // lines the follower has surely seen
  for (int cut = 0; cut < 1000 && told < log.size(); ++cut) {
    const long since = told == 0 ? 0 : second_of[told - 1] - 1;
    std::size_t from = 0;
    while (second_of[from] < since) ++from;
    const std::size_t to = std::min<std::size_t>(log.size(), told + random(7));
    std::string data;
    for (std::size_t i = from; i < to; ++i) data += log[i];
    if (to < log.size()) data += log[to].substr(0, random(log[to].size()));
    answers.push_back(log_answer(data, random(2) == 0 ? "reset" : ""));
    told = std::max(told, to);
  }
  std::string rest;
  const long since = second_of[told - 1] - 1;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (second_of[i] >= since) rest += log[i];
  }
  answers.push_back(log_answer(rest, "never"));
  answers.push_back(log_answer(rest));
  FakeCluster cluster(std::move(answers));
  const Reading reading = follow(cluster, 1e6);
  REQUIRE(reading.lines.size() == log.size());
  for (int i = 0; i < k_lines; ++i) {
    REQUIRE(reading.lines[static_cast<std::size_t>(i)] == cat("line ", i % 7 == 0 ? 0 : i));
  }
}

}  // namespace
}  // namespace trainctl::job
