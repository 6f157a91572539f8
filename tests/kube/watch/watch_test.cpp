// Nobody sees an event that a watch misses; everybody sees one that it reports twice.
#include "kube/watch/watch.h"

#include <vector>

#include <doctest/doctest.h>

#include "kube/client/api_error.h"
#include "kube/watch/watched.h"

namespace watch_test {

TEST_CASE("listed objects and changes are reported, in order, with kind and version filled in") {
  Watched watched(
      {list("10", {pod("a", "1", "8"), pod("b", "2", "9")}),
       watch("10", event("MODIFIED", pod("a", "1", "11")) + event("DELETED", pod("b", "2", "12")) +
                       event("ADDED", pod("c", "3", "13")))});
  watched.run(1s);
  CHECK(watched.reported == Lines{"+a/1@8", "+b/2@9", "listed", "+a/1@11", "-b/2@12", "+c/3@13"});
  CHECK(watched.troubles.empty());
  CHECK(watched.complaints().empty());
  const std::string target = watched.cluster.transport->seen[1].target;
  CHECK(target.find("allowWatchBookmarks=true") != std::string::npos);
  CHECK(target.find("timeoutSeconds=") != std::string::npos);
}

TEST_CASE("objects out of a list say what they are") {
  FakeCluster cluster({list("10", {pod("a", "1", "8")})});
  Json seen;
  WatchHandlers handlers;
  handlers.on_change = [&](const Json& object) { seen = object; };
  const HandlePtr handle = start_watch(*cluster.client, {k_pods, "team", {}}, handlers);
  cluster.loop.run_until([&] { return !seen.is_null(); });
  CHECK(text_at(seen, "/kind") == "Pod");
  CHECK(text_at(seen, "/apiVersion") == "v1");
}

TEST_CASE("WT-05: a bookmark without a version, and an event of an unknown type, are ignored") {
  Watched watched({list("10", {}),
                   watch("10", event("BOOKMARK", Json::object()) + event("NEW", Json::object()) +
                                   "{\"type\":\"BOOKMARK\"}\n"),
                   watch("10", "")});
  watched.run(3s);
  CHECK(watched.complaints().empty());
  CHECK(watched.troubles.empty());
}

TEST_CASE("an object of a strange server that has no name is reported before it is gone") {
  Watched watched({list("10", {Json::object()}),
                   watch("10", event("ERROR", failure(410, "Expired"))), list("20", {}),
                   watch("20", "")});
  watched.run(4s);
  CHECK(watched.reported == Lines{"+/@", "listed", "-/@", "listed"});
}

TEST_CASE("a value that is no object is never reported as one") {
  Watched watched({list("10", {Json(7), Json()}),
                   watch("10", event("ADDED", Json()) + event("MODIFIED", Json::array()) +
                                   "{\"type\":\"ADDED\"}\n")});
  watched.run(1s);
  CHECK(watched.reported == Lines{"listed"});
}

}  // namespace watch_test

namespace watch_test {

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

}  // namespace watch_test

// Watch events arrive in chunks that end anywhere; a lost one is a pod that never seems to start.
