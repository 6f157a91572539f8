// Objects and worlds of a scripted server: it sends the object with what differs.
#include "support/named_objects.h"

#include <doctest/doctest.h>

#include "base/value/yaml.h"
#include "cases/worlds.h"
#include "support/fake_transport.h"

namespace trainctl::testing {
namespace named_objects_test {

constexpr std::string_view k_objects =
    "pod: {kind: Pod, metadata: {name: a, uid: u}, status: {phase: Pending, ips: [1, 2]}}\n"
    "running: {object: pod, status: {phase: Running}}\n"
    "circle: {object: circle}\n";

NamedObjects objects() {
  NamedObjects read;
  REQUIRE(read.add(k_objects, "objects"));
  return read;
}

// The bodies that a server of one exchange sends, as YAML would write them.
std::string sent(std::string_view yaml) {
  auto read = read_exchanges(*from_yaml(yaml, "server"), "server", objects());
  if (!read) return read.error().message;
  std::string bodies;
  for (const auto& chunk : read->front().chunks) bodies += chunk.data;
  return bodies;
}

TEST_CASE("a server sends the object that a reply names, with what the reply says differs") {
  CHECK(sent("- {request: /a, reply: running}") ==
        R"({"kind":"Pod","metadata":{"name":"a","uid":"u"},)"
        R"("status":{"phase":"Running","ips":[1,2]}})");
  CHECK(sent("- {request: /a, reply: {object: pod, metadata: {uid: null}, status: {ips: [3]}}}") ==
        R"({"kind":"Pod","metadata":{"name":"a"},"status":{"phase":"Pending","ips":[3]}})");
  CHECK(sent("- {request: /a, reply: {spec: [{object: pod, status: null}]}}") ==
        R"({"spec":[{"kind":"Pod","metadata":{"name":"a","uid":"u"}}]})");
}

TEST_CASE("a server sends a list of what `items` names") {
  CHECK(sent("- {request: /a, items: [pod, {object: pod, metadata: null, status: null}]}") ==
        R"({"kind":"List","metadata":{"resourceVersion":"8"},"items":[)"
        R"({"kind":"Pod","metadata":{"name":"a","uid":"u"},)"
        R"("status":{"phase":"Pending","ips":[1,2]}},{"kind":"Pod"}]})");
}

TEST_CASE("a watch sends the object that an event names, with what the event says differs") {
  CHECK(sent("- {request: /a, events: [{after: 1s, type: ADDED, object: pod, status: null}]}") ==
        R"({"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a","uid":"u"}}})"
        "\n");
}

TEST_CASE("a reference that leads nowhere is refused") {
  CHECK(sent("- {request: /a, reply: {object: job}}") ==
        "server: exchange 1: there is no object called job");
  CHECK(sent("- {request: /a, reply: circle}") == "server: exchange 1: an object refers to itself");
  NamedObjects read = objects();
  CHECK(read.add("pod: {}", "more").error().message == "more: a second object is called pod");
}

TEST_CASE("a server has the exchanges of the worlds that it names, in their place") {
  const auto read = read_server("- request: /a\n- world: no-pods\n- request: /b\n", "server");
  REQUIRE(read);
  REQUIRE(read->size() == 3);
  CHECK((*read)[1].path == "/api/v1/namespaces/default/pods");
  CHECK((*read)[2].path == "/b");
  CHECK(read_world("none").error().message == "there is no world called none");
}

TEST_CASE("an element with `times` is there so often, each time with its number") {
  const auto read = read_server(
      "- {times: 2, first: 9, request: '/{n}/{nn}'}\n"
      "- {times: 2, each: [{request: /a, items: [{times: 2, n: 1}]}, {request: '/{n}'}]}\n",
      "server");
  REQUIRE(read);
  REQUIRE(read->size() == 6);
  CHECK((*read)[0].path == "/9/09");
  CHECK((*read)[1].path == "/10/10");
  CHECK((*read)[2].chunks.front().data.find("[{\"n\":1},{\"n\":1}]") != std::string::npos);
  CHECK((*read)[3].path == "/1");
  CHECK((*read)[4].path == "/a");
  CHECK((*read)[5].path == "/2");
}

}  // namespace named_objects_test
}  // namespace trainctl::testing
