// A path on which packets are acknowledged and nothing is forwarded: found by a request of our own.
#include <doctest/doctest.h>

#include "base/text/text.h"
#include "net/curl_transport.h"
#include "support/net_server.h"

namespace silent_path_test {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

constexpr Duration k_patience = 2s;

// Long answers of one transport whose connections are soon asked for a sign of life.
struct Followers {
  explicit Followers(const NetServer& server) {
    net::Endpoint endpoint = tls_endpoint(server);
    endpoint.heartbeat_after = 200ms;
    endpoint.heartbeat_patience = k_patience;
    transport = *net::make_curl_transport(loop, endpoint);
    REQUIRE(fetch(loop, *transport, "/hello"));
  }
  void open(int count, net::Lane lane, const std::string& target = "/hold") {
    const int wanted = begun + count;
    for (int i = 0; i < count; ++i) {
      net::Request request;
      request.target = target;
      request.lane = lane;
      net::Handlers handlers;
      handlers.on_data = [this](std::string_view) { ++begun; };
      handlers.on_transient = [this](std::optional<Duration>) { ++transient; };
      handlers.on_done = [this](Status status) {
        if (status) return;
        ++failed;
        message = status.error().message;
      };
      handles.push_back(transport->start(request, handlers));
    }
    run_until(loop, [&] { return begun == wanted; });
  }
  int number(const std::string& target) {
    const auto answer = fetch(loop, *transport, target);
    REQUIRE(answer);
    return std::stoi(answer->body);
  }
  void wait_for_heartbeats(int count) {
    HandlePtr pause;
    while (number("/heartbeats") < count) {
      bool over = false;
      pause = loop.after(100ms, [&over] { over = true; });
      run_until(loop, [&over] { return over; });
    }
  }

  UvLoop loop;
  std::unique_ptr<net::Transport> transport;
  std::vector<HandlePtr> handles;
  int begun = 0;
  int failed = 0;
  int transient = 0;
  std::string message;
};

TEST_CASE("followed logs do not hang on a connection over which nothing comes any more") {
  CHECK(net::Endpoint{}.heartbeat_after + net::Endpoint{}.heartbeat_patience <= 45s);
  const NetServer server(NetServer::tls());
  Followers followers(server);
  followers.open(98, net::Lane::stream);
  followers.open(1, net::Lane::stream, "/mute");
  run_until(followers.loop, [&] { return followers.failed == 98; });
  CHECK(followers.transient == 98);
  CHECK(followers.message == cat("no sign of life from ", server.address(), " for 2.2 s"));

  followers.open(98, net::Lane::stream);
  CHECK(followers.number("/facts") == 3);  // control, the dead one, its successor
}

TEST_CASE("a watch on which nothing happens ends when its connection has fallen silent") {
  const NetServer server(NetServer::tls());
  Followers followers(server);
  followers.open(2, net::Lane::control);
  REQUIRE(fetch(followers.loop, *followers.transport, "/mute"));
  run_until(followers.loop, [&] { return followers.failed == 2; });
  CHECK(followers.transient == 2);
  followers.open(2, net::Lane::control);
  CHECK(followers.number("/facts") == 2);
}

TEST_CASE("a call that gets no answer on a silent connection fails long before its timeout") {
  const NetServer server(NetServer::tls());
  Followers followers(server);
  REQUIRE(fetch(followers.loop, *followers.transport, "/mute"));
  const auto answer = fetch(followers.loop, *followers.transport, "/hello");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == cat("no sign of life from ", server.address(), " for 2.2 s"));
  CHECK(fetch(followers.loop, *followers.transport, "/hello"));
}

TEST_CASE("logs that say nothing for long are kept open: any answer is a sign of life") {
  const NetServer server(NetServer::tls());
  Followers followers(server);
  followers.open(5, net::Lane::stream);
  followers.wait_for_heartbeats(2);
  CHECK(followers.failed == 0);
  CHECK(followers.number("/facts") == 2);  // no connection was made to ask
}

TEST_CASE("a connection without room for a heartbeat is not taken for a dead one") {
  const NetServer server(tls_with({"--streams", "20"}));
  Followers followers(server);
  followers.open(25, net::Lane::stream);
  followers.wait_for_heartbeats(2);  // over the second connection; the first has 20 streams
  CHECK(followers.failed == 0);
}

TEST_CASE("over HTTP/1.1, where it would take connections of its own, there is no heartbeat") {
  const NetServer server(tls_with({"--alpn", "http/1.1"}));
  Followers followers(server);
  followers.open(3, net::Lane::stream);
  followers.open(1, net::Lane::control);
  bool over = false;
  const HandlePtr timer = followers.loop.after(600ms, [&over] { over = true; });
  run_until(followers.loop, [&over] { return over; });
  CHECK(followers.number("/heartbeats") == 0);
}

}  // namespace silent_path_test
