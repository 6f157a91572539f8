// The scripted server itself: a golden case is only worth what it checks.
#include "support/fake_transport.h"

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace fake_transport_test {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

struct Fixture {
  explicit Fixture(std::string_view yaml) : transport(loop, exchanges(yaml)) {}
  static std::vector<Exchange> exchanges(std::string_view yaml) {
    auto read = read_exchanges(yaml, "server");
    REQUIRE_MESSAGE(read, (read ? "" : read.error().message));
    return *std::move(read);
  }
  // Sends, waits for the end or for `patience`, and keeps what came.
  void send(const std::string& method, const std::string& target, const std::string& body = "",
            Duration patience = 1h) {
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    net::Handlers handlers;
    status = 0;
    data.clear();
    outcome.reset();
    handlers.on_head = [this](const net::ResponseHead& head) {
      status = head.status;
      type = head.header("content-type");
    };
    handlers.on_data = [this](std::string_view piece) { data += piece; };
    handlers.on_done = [this](Status end) { outcome = std::move(end); };
    const HandlePtr handle = transport.start(request, handlers);
    bool late = false;
    const HandlePtr limit = loop.after(patience, [&] { late = true; });
    loop.run_until([&] { return late || outcome; });
  }

  FakeLoop loop;
  FakeTransport transport;
  int status = 0;
  std::string type;
  std::string data;
  std::optional<Status> outcome;
};

TEST_CASE("exchanges are found by method, path, query and a part of the body, in any order") {
  Fixture net(R"(
- request: POST /jobs?dryRun=All
  body: {metadata: {name: b}, list: [1, {x: 1}]}
  status: 201
  reply: {name: b}
- request: POST /jobs
  body: {metadata: {name: a}}
  reply: {name: a}
- request: /jobs?labelSelector=app=x, y in (1)
  text: plain
)");
  net.send("POST", "/jobs", R"({"metadata":{"name":"a","uid":"u"}})");
  CHECK(net.status == 200);
  CHECK(net.data == R"({"name":"a"})");
  CHECK(net.type == "application/json");
  net.send("POST", "/jobs?x=1&dryRun=All", R"({"metadata":{"name":"b"},"list":[1,{"x":1,"y":2}]})");
  CHECK(net.status == 201);
  net.send("GET", "/jobs?labelSelector=app%3Dx%2C%20y%20in%20%281%29");
  CHECK(net.data == "plain");
  CHECK(net.type == "text/plain");
  CHECK(net.transport.complaints().empty());
}

TEST_CASE("a request nobody scripted and an exchange nobody used are complaints") {
  Fixture net("- {request: 'GET /a?x=1', text: a}\n- {request: GET /b, text: b, repeat: true}\n");
  net.send("GET", "/a?x=2");
  CHECK(net.status == 404);
  CHECK(net.transport.complaints() ==
        std::vector<std::string>{"unexpected GET /a?x=2; still expected: GET /a?x=1",
                                 "never requested: GET /a?x=1"});
}

TEST_CASE("an exchange answers once unless it repeats") {
  Fixture net("- {request: GET /a, text: one}\n- {request: GET /a, text: two, repeat: true}\n");
  for (const char* expected : {"one", "two", "two"}) {
    net.send("GET", "/a");
    CHECK(net.data == expected);
  }
}

TEST_CASE("log lines come when they are due, with the time of that moment, never twice the same") {
  Fixture net(R"(
- request: GET /log
  headers: {X-Node: [n1, n2]}
  lines:
    - 0s one
    - 0s two
    - {after: 1.5s, text: three}
    - {text: "tail", raw: true}
)");
  net.send("GET", "/log");
  CHECK(net.data ==
        "2026-01-02T03:04:05.000000001Z one\n"
        "2026-01-02T03:04:05.000000002Z two\n"
        "2026-01-02T03:04:06.500000001Z three\n"
        "tail");
  REQUIRE(net.outcome);
  CHECK(*net.outcome);
}

TEST_CASE("watch events are lines of JSON, and the watch stays open unless it is ended") {
  Fixture net(R"(
- request: GET /pods?watch=true
  events:
    - {after: 2s, type: ADDED, object: {kind: Pod}}
- request: GET /jobs?watch=true
  events: []
  end: clean
  end-after: 3s
)");
  net.send("GET", "/pods?watch=true");
  CHECK(net.data == "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}\n");
  CHECK_FALSE(net.outcome);
  const Time began = net.loop.now();
  net.send("GET", "/jobs?watch=true");
  CHECK(net.outcome);
  CHECK(net.loop.now() - began == 3s);
}

TEST_CASE("a watch that is not scripted stays open and is no complaint") {
  Fixture net("[]");
  net.send("GET", "/pods?watch=1");
  CHECK(net.status == 200);
  CHECK_FALSE(net.outcome);
  CHECK(net.transport.complaints().empty());
}

TEST_CASE("connections are refused and cut as the script says") {
  Fixture net(R"(
- {request: GET /refused, end: refused}
- {request: GET /reset, end: reset}
- {request: GET /cut, text: half, end: reset, end-after: 1s}
)");
  net.send("GET", "/refused");
  CHECK(net.status == 0);
  CHECK(net.outcome->error().message == "cannot reach cluster.test:6443: connection refused");
  net.send("GET", "/reset");
  CHECK(net.status == 0);
  CHECK_FALSE(*net.outcome);
  net.send("GET", "/cut");
  CHECK(net.status == 200);
  CHECK(net.data == "half");
  CHECK(net.outcome->error().code == Code::unreachable);
}

TEST_CASE("a mistake in a scripted server is found, with the exchange it is in") {
  const auto refusal = [](std::string_view yaml) {
    const auto read = read_exchanges(yaml, "server");
    REQUIRE_FALSE(read);
    return read.error().message;
  };
  CHECK(refusal("- {request: GET /a}\n- {request: GET /a, replies: 1}") ==
        "server: exchange 2: unknown field 'replies'");
  CHECK(refusal("{request: GET /a}") == "server: not a list of exchanges");
  CHECK(refusal("- {request: GET a}").starts_with("server: exchange 1: "));
  CHECK(refusal("- {request: GET /a, end: badly}").starts_with("server: exchange 1: "));
  CHECK(refusal("- {request: GET /a, lines: [epoch 1]}").starts_with("server: exchange 1: "));
}

}  // namespace fake_transport_test
