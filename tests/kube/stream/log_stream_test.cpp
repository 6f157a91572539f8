// What a container wrote must arrive untouched, and an end must never be mistaken for the end.
#include "kube/stream/log_stream.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_cluster.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::kube;
using namespace std::string_literals;
using trainctl::testing::Exchange;
using trainctl::testing::FakeCluster;

constexpr std::string_view k_stamp = "2026-11-21T09:51:19.807076569Z";

struct Seen {
  std::vector<std::string> lines;  // "stamp|text", with a '…' behind incomplete ones
  bool opened = false;
  bool ended = false;
  std::optional<Failure> failure;
};

Exchange log_answer(const std::vector<std::string>& chunks, int status = 200) {
  Exchange exchange;
  exchange.path = "/api/v1/namespaces/team/pods/p/log";
  exchange.status = status;
  for (const std::string& chunk : chunks) exchange.chunks.push_back({{}, chunk});
  return exchange;
}

LogQuery query() {
  LogQuery query;
  query.ns = "team";
  query.pod = "p";
  query.container = "pytorch";
  return query;
}

LogHandlers recording(Seen& seen) {
  return {[&] { seen.opened = true; },
          [&](const LogLine& line) {
            CHECK(line.stamp.has_value() == !line.stamp_text.empty());
            seen.lines.push_back(cat(line.stamp_text, "|", line.text, line.complete ? "" : "…"));
          },
          [&](std::optional<Failure> failure) {
            seen.ended = true;
            seen.failure = std::move(failure);
          }};
}

Seen read_log(FakeCluster& cluster, const LogQuery& asked = query()) {
  Seen seen;
  const HandlePtr handle = open_log(*cluster.client, asked, recording(seen));
  cluster.loop.run_until([&] { return seen.ended; });
  return seen;
}

TEST_CASE("a progress bar shows its complete states before it ends as a line") {
  const std::string begin = cat(k_stamp, " ");
  FakeCluster cluster({log_answer({begin + "start\n" + begin + "no bar", " at all\n", begin + "10%",
                                   "\r20%\r30%", "\r40%\r", "\nend\n"})});
  Seen seen;
  std::vector<std::string> states;
  LogHandlers handlers = recording(seen);
  handlers.on_progress = [&](std::string_view state) { states.emplace_back(state); };
  const HandlePtr handle = open_log(*cluster.client, query(), std::move(handlers));
  cluster.loop.run_until([&] { return seen.ended; });
  CHECK(states == std::vector<std::string>{"20%", "40%"});
  CHECK(seen.lines[2] == cat(k_stamp, "|10%\r20%\r30%\r40%\r"));
}

TEST_CASE("LG-04: every wish becomes its query parameter, and nothing else does") {
  FakeCluster cluster({log_answer({}), log_answer({}), log_answer({})});
  LogQuery asked = query();
  read_log(cluster, asked);
  asked.follow = true;
  asked.previous = true;
  asked.since = *parse_time("2026-11-21T09:51:19.999Z");
  asked.tail_lines = 0;
  read_log(cluster, asked);
  asked.since.reset();
  asked.since_seconds = 30;
  read_log(cluster, asked);
  const std::string path = "/api/v1/namespaces/team/pods/p/log";
  CHECK(cluster.transport->seen[0].target == path + "?timestamps=true&container=pytorch");
  CHECK(cluster.transport->seen[1].target ==
        path +
            "?timestamps=true&container=pytorch&follow=true&previous=true"
            "&sinceTime=2026-11-21T09%3A51%3A19Z&tailLines=0");
  CHECK(cluster.transport->seen[2].target.ends_with("&sinceSeconds=30&tailLines=0"));
  CHECK(cluster.transport->seen[1].lane == net::Lane::stream);
  CHECK(cluster.transport->seen[1].timeout == Duration{});
}

TEST_CASE("LG-01, LG-29: lines, empty lines and odd bytes arrive as they were written") {
  const std::string stamp(k_stamp);
  const std::string body =
      stamp + " hello\n" + stamp + " \n" + stamp + " a\0\xff\rb\r\n"s + stamp + " end";
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, body.size()}) {
    CAPTURE(size);
    std::vector<std::string> chunks;
    for (std::size_t at = 0; at < body.size(); at += size) chunks.push_back(body.substr(at, size));
    FakeCluster cluster({log_answer(chunks)});
    const Seen seen = read_log(cluster);
    CHECK(seen.opened);
    CHECK_FALSE(seen.failure);
    CHECK(seen.lines == std::vector<std::string>{stamp + "|hello", stamp + "|",
                                                 stamp + "|a\0\xff\rb\r"s, stamp + "|end…"});
  }
}

TEST_CASE("the node's error glued before the first line is split from it") {
  const std::string error = "failed to create fsnotify watcher: too many open files";
  FakeCluster cluster(
      {log_answer({cat(error, k_stamp, " hello\n", k_stamp, " x", k_stamp, " y\n")})});
  CHECK(read_log(cluster).lines == std::vector<std::string>{"|" + error, cat(k_stamp, "|hello"),
                                                            cat(k_stamp, "|x", k_stamp, " y")});
}

TEST_CASE("LG-25: a first line that began before the stream has no stamp") {
  FakeCluster cluster({log_answer({cat("rest of a line\n", k_stamp, " next\n")})});
  CHECK(read_log(cluster).lines ==
        std::vector<std::string>{"|rest of a line", cat(k_stamp, "|next")});
}

TEST_CASE("LG-28: only the first piece of a long line has its stamp; no piece is taken for one") {
  std::string body = cat(k_stamp, " ");
  body.resize(std::size_t{1} << 20, 'x');
  body += cat(k_stamp, " still the same line\n");
  FakeCluster cluster({log_answer({body})});
  const Seen seen = read_log(cluster);
  REQUIRE(seen.lines.size() == 2);
  CHECK(seen.lines[0].starts_with(cat(k_stamp, "|xxx")));
  CHECK(seen.lines[0].ends_with("…"));
  CHECK(seen.lines[1] == cat("|", k_stamp, " still the same line"));
}

TEST_CASE("LG-11: a pod that is not scheduled ends cleanly without having opened") {
  FakeCluster cluster({log_answer({}, 204)});
  const Seen seen = read_log(cluster);
  CHECK_FALSE(seen.opened);
  CHECK_FALSE(seen.failure);
  CHECK(seen.lines.empty());
}

TEST_CASE("a container that waits to start is a failure that says why") {
  FakeCluster cluster({log_answer(
      {R"({"kind":"Status","status":"Failure","reason":"BadRequest","code":400,"message":)"
       R"("container \"c\" in pod \"p\" is waiting to start: ContainerCreating"})"},
      400)});
  const Seen seen = read_log(cluster);
  REQUIRE(seen.failure);
  CHECK(seen.failure->refusal.status == 400);
  CHECK(seen.failure->error.message.ends_with("ContainerCreating"));
  CHECK(seen.lines.empty());
}

TEST_CASE("a cut connection delivers what came, then the failure") {
  Exchange cut = log_answer({cat(k_stamp, " one\n", k_stamp, " tw")});
  cut.ending = "reset";
  FakeCluster cluster({cut});
  const Seen seen = read_log(cluster);
  CHECK(seen.lines == std::vector<std::string>{cat(k_stamp, "|one"), cat(k_stamp, "|tw…")});
  REQUIRE(seen.failure);
  CHECK(seen.failure->refusal.status == 0);
}

TEST_CASE("a reader that lets go at a line hears nothing more") {
  FakeCluster cluster({log_answer({cat(k_stamp, " one\n", k_stamp, " two\n")})});
  HandlePtr handle;
  int lines = 0;
  bool ended = false;
  handle = open_log(*cluster.client, query(),
                    {{},
                     [&](const LogLine&) {
                       ++lines;
                       handle.reset();
                     },
                     [&](std::optional<Failure>) { ended = true; }});
  bool over = false;
  const HandlePtr timer = cluster.loop.after(std::chrono::seconds(1), [&] { over = true; });
  cluster.loop.run_until([&] { return over; });
  CHECK(lines == 1);
  CHECK_FALSE(ended);
}

TEST_CASE("a pod name that would leave the path is refused without a request") {
  FakeCluster cluster({});
  LogQuery asked = query();
  asked.pod = "../secrets";
  const Seen seen = read_log(cluster, asked);
  REQUIRE(seen.failure);
  CHECK(seen.failure->error.code == Code::usage);
  CHECK(cluster.transport->seen.empty());
}

}  // namespace TEST_FILE
