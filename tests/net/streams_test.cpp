// Many long answers at once: few connections, none starved, and safe to let go at any moment.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "net/curl_transport.h"
#include "support/file_limit.h"
#include "support/net_server.h"

namespace streams_test {

using namespace trainctl;
using namespace trainctl::testing;

// Streams of one transport, and what has come of them.
struct Streams {
  explicit Streams(const net::Endpoint& endpoint)
      : transport(*net::make_curl_transport(loop, endpoint)) {}

  void open(int count, const std::string& target = "/hold") {
    for (int i = 0; i < count; ++i) {
      net::Request request;
      request.target = target;
      request.lane = net::Lane::stream;
      net::Handlers handlers;
      handlers.on_data = [this](std::string_view) { ++begun; };
      handlers.on_done = [this](const Status& status) {
        ++(status ? ended : failed);
        if (!status) message = status.error().message;
      };
      handles.push_back(transport->start(request, handlers));
    }
  }
  std::string control(const std::string& target) {
    const auto answer = fetch(loop, *transport, target);
    return answer ? answer->body : answer.error().message;
  }
  void wait_for_begun(int count) {
    run_until(loop, [&] { return begun == count; });
  }
  // So many that go on, on a server that is known already.
  void hold(int count) {
    control("/hello");
    open(count);
    wait_for_begun(count);
  }
  // Connections the server has seen, streams it holds.
  Halves facts() { return split_once(control("/facts"), ' '); }

  UvLoop loop;
  std::unique_ptr<net::Transport> transport;
  std::vector<HandlePtr> handles;
  int begun = 0;
  int ended = 0;
  int failed = 0;
  std::string message;  // of the last failure
};

TEST_CASE("250 followed logs share three connections, and control calls still get through") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  CHECK(streams.control("/hello") == "hello");
  streams.open(250);
  streams.wait_for_begun(250);
  const Halves facts = streams.facts();
  CHECK(facts.first == "4");  // three and the control connection
  CHECK(facts.second == "250");
  CHECK(streams.control("/release") == "released");
  run_until(streams.loop, [&] { return streams.ended == 250; });
  CHECK(streams.failed == 0);
}

TEST_CASE("a dozen control calls at once, the very first ones, share one connection") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  std::vector<HandlePtr> handles;
  int answered = 0;
  for (int i = 0; i < 12; ++i) {
    net::Request request;
    request.target = "/hello";
    handles.push_back(net::collect(*streams.transport, request, [&](Result<net::Response> answer) {
      answered += answer ? 1 : 0;
    }));
  }
  run_until(streams.loop, [&] { return answered == 12; });
  CHECK(streams.facts().first == "1");
}

TEST_CASE("the first of several control calls may be given up without holding back the others") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  std::vector<HandlePtr> handles;
  int answered = 0;
  for (int i = 0; i < 3; ++i) {
    net::Request request;
    request.target = "/hello";
    handles.push_back(net::collect(*streams.transport, request, [&](Result<net::Response> answer) {
      answered += answer ? 1 : 0;
    }));
  }
  handles.front().reset();
  run_until(streams.loop, [&] { return answered == 2; });
}

TEST_CASE("a gateway that takes 20 streams a connection leaves no follower waiting for ever") {
  const NetServer server(tls_with({"--streams", "20"}));
  Streams streams(tls_endpoint(server));
  streams.hold(70);
  CHECK(std::stoi(streams.facts().first) <= 6);
  streams.open(20);
  streams.wait_for_begun(90);
}

TEST_CASE("streams refused by a server that announced its limit too late are started elsewhere") {
  const NetServer server(tls_with({"--streams", "20", "--late-limit"}));
  Streams streams(tls_endpoint(server));
  streams.hold(70);
  CHECK(streams.failed == 0);
}

TEST_CASE("against an HTTP/1.1 server every stream gets a connection, none hangs") {
  const NetServer server(tls_with({"--alpn", "http/1.1"}));
  Streams streams(tls_endpoint(server));
  CHECK(streams.control("/hello") == "hello");
  streams.open(30);
  streams.wait_for_begun(30);
  CHECK(streams.control("/hello") == "hello");
}

TEST_CASE("streams for which this process may open no connection report its limit") {
  const NetServer server(tls_with({"--alpn", "http/1.1"}));
  Streams streams(tls_endpoint(server));
  CHECK(streams.control("/hello") == "hello");
  const FileLimit low(40);
  streams.open(40);
  run_until(streams.loop, [&] { return streams.begun + streams.failed == 40; });
  CHECK(streams.begun > 0);
  CHECK(streams.message == cat("cannot reach ", server.address(),
                               ": too many open files (the limit is 40: ulimit -n)"));
}

TEST_CASE("streams that are the very first requests start too") {
  const NetServer tls_server(NetServer::tls());
  Streams tls(tls_endpoint(tls_server));
  tls.open(5);
  tls.wait_for_begun(5);
  const NetServer plain_server({});
  Streams plain(plain_endpoint(plain_server));
  plain.open(5);
  plain.wait_for_begun(5);
}

TEST_CASE("the first request of the lane of streams opens the connection of all that follow") {
  for (const char* protocol : {"h2", "http/1.1"}) {
    CAPTURE(protocol);
    const NetServer server(tls_with({"--alpn", protocol}));
    Streams streams(tls_endpoint(server));
    streams.open(1, "/hello");
    CHECK(streams.control("/hello") == "hello");
    run_until(streams.loop, [&] { return streams.ended == 1; });
    streams.open(50);
    streams.wait_for_begun(51);
    if (protocol == std::string_view("h2")) CHECK(streams.facts().first == "2");
  }
}

TEST_CASE("an answer of any size comes to its end where many streams have small buffers") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  streams.hold(130);
  for (const bool alone : {false, true}) {
    CAPTURE(alone);
    if (alone) streams.handles.clear();
    for (int size = 1; size < 40'000; size = size * 9 / 8 + 57) {
      CAPTURE(size);
      const int ended = streams.ended;
      streams.open(1, cat("/frames/57-", size, "-90-3-", size % 777, "-200"));
      streams.open(1, cat("/ending-frame/", std::min(size, 16'000)));
      run_until(streams.loop, [&] { return streams.ended == ended + 2; });
      streams.handles.resize(streams.handles.size() - 2);
    }
  }
}

TEST_CASE("behind a proxy that makes long heads many streams start as well") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  CHECK(streams.control("/long-head") == "long");
  streams.open(130);
  streams.wait_for_begun(130);
  const int ended = streams.ended;
  streams.open(20, "/long-head");
  run_until(streams.loop, [&] { return streams.ended == ended + 20; });
  CHECK(streams.failed == 0);
}

TEST_CASE("after the server says goodbye on a connection, new streams go to another") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  streams.hold(3);
  streams.open(1, "/leave");
  run_until(streams.loop, [&] { return streams.ended == 1; });
  const int begun = streams.begun;
  streams.open(2);
  streams.wait_for_begun(begun + 2);
  streams.control("/release");
  run_until(streams.loop, [&] { return streams.ended == 6; });
  CHECK(streams.failed == 0);
}

TEST_CASE("an abandoned stream frees its place on the server") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  streams.hold(10);
  streams.handles.clear();
  run_until(streams.loop, [&] { return streams.facts().second == "0"; });
  CHECK(streams.ended + streams.failed == 0);
}

TEST_CASE("each of many logs on a connection gets its lines, whichever of the others end") {
  const NetServer server(NetServer::tls());
  Streams streams(tls_endpoint(server));
  streams.hold(60);
  for (int gone = 0; gone < 50; gone += 2) {
    const int before = streams.begun;
    streams.control("/announce");
    streams.wait_for_begun(before + 60 - gone);
    const int ended = streams.ended;
    streams.control("/release-first");
    run_until(streams.loop, [&] { return streams.ended > ended; });
    streams.handles[59 - gone / 2].reset();
  }
  CHECK(streams.failed == 0);
}

}  // namespace streams_test
