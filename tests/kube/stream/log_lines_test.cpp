// The bytes of a training log must come out as they went in, line by line, with their stamps.
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "kube/stream/log_stream.h"

namespace TEST_FILE {

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

TEST_CASE("LG-02: a last line without newline is emitted once, a stream that ends whole has none") {
  CHECK(pieces_of("a\n", 1) == Pieces{{"a", true}});
  CHECK(pieces_of("", 1).empty());
  CHECK(pieces_of("a", 1) == Pieces{{"a", false}});
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

}  // namespace TEST_FILE
