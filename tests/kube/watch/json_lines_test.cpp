// Watch events arrive in chunks that end anywhere; a lost one is a pod that never seems to start.
#include <vector>

#include <doctest/doctest.h>

#include "kube/client/api_error.h"
#include "kube/watch/watch.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::kube;

std::vector<std::string> lines_of(std::string_view stream, std::size_t chunk_size) {
  std::vector<std::string> lines;
  JsonLines splitter;
  while (!stream.empty()) {
    const Status fed = splitter.feed(stream.substr(0, chunk_size), [&](std::string_view line) {
      lines.emplace_back(line);
      return true;
    });
    REQUIRE(fed);
    stream.remove_prefix(std::min(chunk_size, stream.size()));
  }
  return lines;
}

TEST_CASE("WT-01: every event is decoded, wherever the chunks end") {
  const std::string stream = "\n{\"a\":\"ü€😀\"}\n\r\n  \n{\"b\":\"x\\ny\"}\r\n{\"c\":3}\n{\"cut";
  const std::vector<std::string> expected = {"{\"a\":\"ü€😀\"}", "{\"b\":\"x\\ny\"}", "{\"c\":3}"};
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    CAPTURE(size);
    CHECK(lines_of(stream, size) == expected);
  }
}

TEST_CASE("WT-02: invalid UTF-8 in a label costs a character, not the event") {
  const auto event = parse_answer("{\"label\":\"a\xff\xc3z\"}", "event");
  REQUIRE(event);
  CHECK(text_at(*event, "/label") == "a\uFFFD\uFFFDz");
  CHECK_FALSE(parse_answer("{\"label\":\"\xff", "event"));
}

TEST_CASE("WT-20: a 5 MB event in small chunks comes through whole") {
  const std::string event = "{\"big\":\"" + std::string(5'000'000, 'x') + "\"}";
  const std::vector<std::string> lines = lines_of(event + "\n{}\n", 4096);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == event);
}

TEST_CASE("after the owner has enough, the rest of the stream is dropped") {
  JsonLines splitter;
  int calls = 0;
  const auto once = [&](std::string_view) {
    ++calls;
    return false;
  };
  CHECK(splitter.feed("{}\n{}\n{}\n", once));
  CHECK(calls == 1);
}

}  // namespace TEST_FILE
