// A container's output must arrive untouched, and an end must never be mistaken for the end.
#include "kube/stream/log_stream.h"

#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fake_cluster.h"

namespace log_stream_test {

using namespace trainctl;
using namespace trainctl::kube;
using namespace std::string_literals;
using trainctl::testing::Exchange;
using trainctl::testing::FakeCluster;

constexpr std::string_view k_stamp = "2026-11-21T09:51:19.807076569Z";

struct Seen : LineSink {
  void on_open() override { opened = true; }
  void on_line(const LogLine& line) override {
    CHECK(line.stamp.has_value() == !line.stamp_text.empty());
    lines.push_back(cat(line.stamp_text, "|", line.text, line.complete ? "" : "…"));
  }
  void on_progress(std::string_view more) override { states.emplace_back(more); }
  void on_end(const std::optional<Failure>& reason) override {
    ended = true;
    failure = reason;
  }

  std::vector<std::string> lines;  // "stamp|text", with a '…' behind incomplete ones
  std::vector<std::string> states;
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

Seen read_log(FakeCluster& cluster, const LogQuery& asked = query()) {
  Seen seen;
  const HandlePtr handle = open_log(*cluster.client, asked, seen);
  cluster.loop.run_until([&] { return seen.ended; });
  return seen;
}

TEST_CASE("a progress bar shows its complete states before it ends as a line") {
  const std::string begin = cat(k_stamp, " ");
  FakeCluster cluster({log_answer({begin + "start\n" + begin + "no bar", " at all\n", begin + "10%",
                                   "\r20%\r30%", "\r40%\r", "\nend\n"})});
  Seen seen;
  const HandlePtr handle = open_log(*cluster.client, query(), seen);
  cluster.loop.run_until([&] { return seen.ended; });
  CHECK(seen.states == std::vector<std::string>{"10%\r20%", "30%\r40%"});
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
  struct LetsGo : Seen {
    HandlePtr handle;
    void on_line(const LogLine& line) override {
      Seen::on_line(line);
      handle.reset();
    }
  };
  LetsGo seen;
  seen.handle = open_log(*cluster.client, query(), seen);
  bool over = false;
  const HandlePtr timer = cluster.loop.after(std::chrono::seconds(1), [&] { over = true; });
  cluster.loop.run_until([&] { return over; });
  CHECK(seen.lines.size() == 1);
  CHECK_FALSE(seen.ended);
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

}  // namespace log_stream_test

namespace log_stream_test {

using namespace trainctl;
using namespace trainctl::kube;
using namespace std::string_literals;

using Pieces = std::vector<std::pair<std::string, bool>>;

Pieces pieces_of(std::string_view stream, std::size_t chunk_size) {
  Pieces pieces;
  const auto sink = [&](std::string_view text, bool complete) {
    pieces.emplace_back(text, complete);
    return true;
  };
  LogLines lines;
  while (!stream.empty()) {
    lines.feed(stream.substr(0, chunk_size), sink);
    stream.remove_prefix(std::min(chunk_size, stream.size()));
  }
  lines.finish(sink);
  return pieces;
}

LogLine read(std::string_view line) {
  StampReader reader;
  return reader.read(line);
}

TEST_CASE("LG-29: lines come out once and in order, empty ones too, wherever the chunks end") {
  const std::string stream = "one\n\ntwo\r\n\x00\xff\xfe\n\rbar\rbaz\nlast"s;
  const Pieces expected = {{"one", true},        {"", true},
                           {"two\r", true},      {std::string("\x00\xff\xfe", 3), true},
                           {"\rbar\rbaz", true}, {"last", false}};
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    CAPTURE(size);
    CHECK(pieces_of(stream, size) == expected);
  }
}

TEST_CASE("LG-28: a line of many megabytes comes in pieces of one, whatever the chunks") {
  constexpr std::size_t k_mebibyte = 1 << 20;
  const std::string line(2 * k_mebibyte + 5, 'x');
  for (const std::size_t chunk : {std::size_t{16'000}, line.size() + 10}) {
    CAPTURE(chunk);
    const Pieces pieces = pieces_of(line + "\nnext\n", chunk);
    REQUIRE(pieces.size() == 4);
    CHECK(pieces[0] == std::pair(std::string(k_mebibyte, 'x'), false));
    CHECK(pieces[1] == std::pair(std::string(k_mebibyte, 'x'), false));
    CHECK(pieces[2] == std::pair(std::string("xxxxx"), true));
    CHECK(pieces[3] == std::pair(std::string("next"), true));
  }
}

TEST_CASE("a line of exactly 1 MiB is one line") {
  const std::string line(std::size_t{1} << 20, 'x');
  CHECK(pieces_of(line + "\n", 4096) == Pieces{{line, true}});
  CHECK(pieces_of(line + "\n", line.size() + 1) == Pieces{{line, true}});
}

TEST_CASE("stamps are taken off as runtimes write them") {
  const Time expected = *parse_time("2026-11-21T09:31:58.920034043Z");
  const LogLine plain = read("2026-11-21T09:31:58.920034043Z l 1");
  CHECK(plain.stamp == expected);
  CHECK(plain.stamp_text == "2026-11-21T09:31:58.920034043Z");
  CHECK(plain.text == "l 1");
  // LG-26
  const LogLine zoned = read("2026-11-21T11:31:58.920034043+02:00 l 1");
  CHECK(zoned.stamp == expected);
  CHECK(zoned.text == "l 1");
  CHECK(read("2026-11-21T04:01:58.920034043-05:30 l").stamp == expected);
  CHECK(read("2026-11-21T09:31:58.92Z x").stamp == parse_time("2026-11-21T09:31:58.92Z"));
  CHECK(read("2026-11-21T09:31:58Z x").stamp == parse_time("2026-11-21T09:31:58Z"));
}

TEST_CASE("an empty line keeps its stamp, and leading blanks of a line are its own") {
  CHECK(read("2026-11-21T09:31:58.920034043Z ").text == "");
  CHECK(read("2026-11-21T09:31:58.920034043Z ").stamp);
  CHECK(read("2026-11-21T09:31:58.920034043Z").stamp);
  CHECK(read("2026-11-21T09:31:58.920034043Z   x").text == "  x");
}

TEST_CASE("text that is no stamp is left alone") {
  for (const char* line :
       {"", "hello", "2026-11-21", "2026-11-21T09:31:58", "2026-11-21T09:31:58.920034043Zx",
        "2026-13-21T09:31:58Z x", "2026-02-30T09:31:58Z x", "2026-11-21T24:31:58Z x",
        "2026-11-21 09:31:58Z x", "2026-11-21T09:31:5xZ x", "2026-11-21T09:31:58+0200 x",
        "2026-11-21T09:31:58.Z x", "9999-11-21T09:31:58Z x"}) {
    CAPTURE(line);
    const LogLine read_line = read(line);
    CHECK_FALSE(read_line.stamp);
    CHECK(read_line.text == line);
  }
}

TEST_CASE("the stamp of the second line in a second is read as strictly as that of the first") {
  const std::string stamp = "2026-11-21T09:31:58.920034043Z";
  StampReader reader;
  CHECK(reader.read(stamp + " x").stamp == parse_time(stamp));
  CHECK(reader.read(stamp + " x").stamp == parse_time(stamp));
  CHECK(reader.read("2026-11-21T09:31:58.000000001Z x").stamp ==
        parse_time("2026-11-21T09:31:58.000000001Z"));
  CHECK(reader.read("2026-11-21T09:31:58.99Z 1234567890").text == "1234567890");
  for (std::size_t place = stamp.find('.'); place < stamp.size(); ++place) {
    for (const char wrong : {'/', ':', ' ', 'x', '\xb0', '\0'}) {
      std::string line = stamp + " x";
      line[place] = wrong;
      CAPTURE(line);
      CHECK(reader.read(line).text == StampReader().read(line).text);
      CHECK(reader.read(line).stamp == StampReader().read(line).stamp);
    }
  }
}

TEST_CASE("every line's stamp is right when minute, hour, day and year change between lines") {
  StampReader reader;
  for (const char* stamp : {"2026-12-31T23:59:59.999999999Z", "2027-01-01T00:00:00.000000000Z",
                            "2027-01-01T00:00:00.000000001Z", "2026-12-31T23:59:59.999999999Z",
                            "1970-01-01T00:00:00.5Z", "2024-02-29T12:00:00.000000000Z"}) {
    CAPTURE(stamp);
    CHECK(reader.read(std::string(stamp) + " x").stamp == parse_time(stamp));
  }
}

TEST_CASE("an error glued in front of a line is found, a time in the user's own text is not") {
  const std::string_view glued =
      "failed to create fsnotify watcher: too many open files2026-11-21T09:51:19.807076569Z hello";
  CHECK(glued_stamp(glued) == 54);
  for (const char* line :
       {"", "T", "no stamp here", "epoch 2026-11-21T09:51:19.807076569Z hello",
        "{\"ts\":\"2026-11-21T09:51:19.807076569Z\"}", "time=2026-11-21T09:51:19.807076569Z x",
        "TTTTTTTTTTTTTTTTT", "files2026-11-21T09:51"}) {
    CAPTURE(line);
    CHECK(glued_stamp(line) == std::string_view::npos);
  }
}

}  // namespace log_stream_test

// The bytes of a training log must come out as they went in, line by line, with their stamps.
