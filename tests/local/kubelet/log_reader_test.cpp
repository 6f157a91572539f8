// The log endpoint's parameters, their oddities, and followed logs.
#include "local/kubelet/log_reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/text/text.h"
#include "local/kubelet/guard.h"
#include "local/kubelet/guard_watch.h"
#include "local/kubelet/rotating_log.h"
#include "support/net_server.h"

namespace log_reader_test {

using namespace trainctl;
using namespace trainctl::local;

constexpr std::string_view k_log =
    "2026-11-21T09:00:00.100000000Z stdout F one\n"
    "2026-11-21T09:00:01.000000000Z stdout F \n"
    "2026-11-21T09:00:02.500000000Z stdout P thr\n"
    "2026-11-21T09:00:03.000000000Z stdout F ee\n"
    "2026-11-21T09:00:04.000000000Z stdout P end";

struct Log {
  explicit Log(std::string_view text, bool ended = true) : watcher(loop) {
    write_file(cat(place.path(), "/", k_log_file), text);
    if (ended) end();
  }
  void end() { write_file(cat(place.path(), "/", k_exit_file), exit_text({})); }
  void append(std::string_view text) const {
    const int fd = ::open(cat(place.path(), "/", k_log_file).c_str(), O_WRONLY | O_APPEND);
    CHECK(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    ::close(fd);
  }
  std::string all(const LogQuestion& question, std::size_t piece = 4096) {
    const auto stream = open_log(watcher, place.path(), question);
    std::string text;
    while (const auto part = stream->read(piece)) text += *part;
    return text;
  }

  testing::TemporaryDirectory place;
  UvLoop loop;
  LogWatcher watcher;
};

LogQuestion asking(void (*change)(LogQuestion&)) {
  LogQuestion question;
  change(question);
  return question;
}

TEST_CASE("Every log parameter gives the bytes a kubelet gives") {
  struct Row {
    LogQuestion question;
    std::string_view wanted;
  };
  const Row rows[] = {
      {{}, "one\n\nthree\n"},
      {asking([](auto& q) { q.timestamps = true; }),
       "2026-11-21T09:00:00.100000000Z one\n2026-11-21T09:00:01.000000000Z \n"
       "2026-11-21T09:00:02.500000000Z three\n"},
      {asking([](auto& q) { q.tail_lines = 0; }), ""},
      {asking([](auto& q) { q.tail_lines = 1; }), "ee\n"},
      {asking([](auto& q) { q.tail_lines = 2; }), "three\n"},
      {asking([](auto& q) { q.tail_lines = 99; }), "one\n\nthree\n"},
      {asking([](auto& q) { q.limit_bytes = 2; }), "on"},
      {asking([](auto& q) {
         q.limit_bytes = 5;
         q.timestamps = true;
       }),
       "2026-"},
      {asking([](auto& q) { q.since = parse_time("2026-11-21T09:00:01Z"); }), "\nthree\n"},
      {asking([](auto& q) { q.since = parse_time("2036-11-21T09:00:01Z"); }), ""},
      {asking([](auto& q) {
         q.since = parse_time("2026-11-21T09:00:01Z");
         q.tail_lines = 1;
       }),
       "ee\n"},
  };
  Log log(cat(k_log.substr(0, k_log.rfind('\n') + 1)));
  for (const Row& row : rows) {
    CAPTURE(row.wanted);
    CHECK(log.all(row.question) == row.wanted);
    CHECK(log.all(row.question, 1) == row.wanted);
  }
}

TEST_CASE("Bytes of any kind come out as they went in, but for the \\r of a \\r\\n") {
  const std::string bytes("a\0b\r\n\xff\xfe\x1b[0m\r", 12);
  const std::string as_containerd_keeps_them("a\0b\n\xff\xfe\x1b[0m\r", 11);
  Log log("");
  const int fd = ::open(cat(log.place.path(), "/", k_log_file).c_str(), O_WRONLY | O_APPEND);
  RecordWriter writer(fd);
  const Time now(std::chrono::seconds(1));
  for (const char c : bytes) writer.take({&c, 1}, now);
  writer.finish(now);
  CHECK(writer.flush());
  ::close(fd);
  CHECK(log.all({}) == as_containerd_keeps_them);
}

TEST_CASE("A progress bar's complete states are in the log before its line ends") {
  Log log("");
  const int fd = ::open(cat(log.place.path(), "/", k_log_file).c_str(), O_WRONLY | O_APPEND);
  RecordWriter writer(fd);
  const Time now(std::chrono::seconds(1));
  writer.take("\r10%\r20%\r30", now);
  writer.take_states(now);
  CHECK(writer.flush());
  CHECK(log.all({}) == "\r10%\r20%\r");
  writer.take("%\r", now);
  writer.take_states(now);
  writer.take("\n", now);
  CHECK(writer.flush());
  ::close(fd);
  CHECK(log.all({}) == "\r10%\r20%\r30%\n");
}

TEST_CASE("A full disk holds a log back and loses none of it") {
  Log log("");
  const int fd = ::open("/dev/full", O_WRONLY);
  RecordWriter writer(fd);
  writer.take("one\ntw", Time{});
  CHECK_FALSE(writer.flush());
  CHECK_FALSE(writer.flush());
  const int file = ::open(cat(log.place.path(), "/", k_log_file).c_str(), O_WRONLY | O_APPEND);
  ::dup2(file, fd);
  writer.take("o\n", Time{});
  CHECK(writer.flush());
  ::close(file);
  ::close(fd);
  CHECK(log.all({}) == "one\ntwo\n");
}

TEST_CASE("A line longer than a record is one line with one stamp") {
  Log log("");
  const std::string line(100'000, 'x');
  const int fd = ::open(cat(log.place.path(), "/", k_log_file).c_str(), O_WRONLY | O_APPEND);
  RecordWriter writer(fd);
  writer.take(cat(line, "\nshort\n"), Time{});
  CHECK(writer.flush());
  ::close(fd);
  CHECK(log.all({}) == cat(line, "\nshort\n"));
  CHECK(log.all(asking([](auto& q) { q.timestamps = true; })) ==
        cat("1970-01-01T00:00:00.000000000Z ", line, "\n1970-01-01T00:00:00.000000000Z short\n"));
}

TEST_CASE(
    "A followed log brings each new line, waits without an end, and ends with the container") {
  Log log("2026-11-21T09:00:00.000000000Z stdout F one\n", false);
  const auto stream =
      open_log(log.watcher, log.place.path(), asking([](auto& q) { q.follow = true; }));
  int ready = 0;
  CHECK(stream->read(100) == "one\n");
  CHECK(stream->read(100) == "");
  stream->on_ready([&ready] { ++ready; });
  log.append("2026-11-21T09:00:01.000000000Z stdout F tw");
  log.loop.run_until([&] { return ready >= 1; });
  CHECK(stream->read(100) == "");
  log.append("o\n");
  const int before = ready;
  log.loop.run_until([&] { return ready > before; });
  CHECK(stream->read(100) == "two\n");
  CHECK(stream->read(100) == "");
  log.append("2026-11-21T09:00:02.000000000Z stdout P last");
  log.append("\n");
  log.end();
  const int then = ready;
  log.loop.run_until([&] { return ready > then; });
  CHECK(stream->read(100) == "last");
  CHECK(stream->read(100) == std::nullopt);
}

}  // namespace log_reader_test
