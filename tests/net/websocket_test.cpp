// WebSockets over real connections: bytes, pace, ends and what they leave behind.
#include <filesystem>
#include <optional>

#include <doctest/doctest.h>

#include "net/curl_transport.h"
#include "support/net_server.h"

namespace trainctl::net {
namespace TEST_FILE {

using testing::NetServer;

struct Session {
  std::optional<ResponseHead> head;
  WebSocket* socket = nullptr;
  std::string received;
  std::size_t messages = 0;
  std::optional<Status> done;
  std::function<void()> on_drained;
  HandlePtr handle;

  void open(Transport& transport, const std::string& target) {
    Request request;
    request.target = target;
    request.protocols = {"v5.channel.k8s.io", "v4.channel.k8s.io"};
    Handlers handlers;
    handlers.on_head = [this](const ResponseHead& answer) { head = answer; };
    handlers.on_socket = [this](WebSocket& opened) { socket = &opened; };
    handlers.on_data = [this](std::string_view message) {
      received += message;
      ++messages;
    };
    handlers.on_drained = [this] {
      if (on_drained) on_drained();
    };
    handlers.on_done = [this](Status status) {
      done = std::move(status);
      socket = nullptr;
    };
    handle = transport.start(std::move(request), std::move(handlers));
  }
};

struct Fixture {
  UvLoop loop;
  NetServer server{NetServer::tls()};
  std::unique_ptr<Transport> transport = *make_curl_transport(loop, testing::tls_endpoint(server));
};

TEST_CASE_FIXTURE(Fixture, "messages go both ways, on a connection to a server with HTTP/2") {
  CHECK(testing::fetch(loop, *transport, "/hello"));
  Session session;
  session.open(*transport, "/socket/echo");
  testing::run_until(loop, [&] { return session.socket != nullptr; });
  CHECK(session.head->status == 101);
  CHECK(session.socket->protocol() == "v5.channel.k8s.io");
  session.socket->send("\x01", "hello");
  testing::run_until(loop, [&] { return session.messages == 1; });
  CHECK(session.received == "\x01hello");
}

TEST_CASE_FIXTURE(Fixture, "what is sent faster than it is taken waits, and nothing is lost") {
  Session session;
  session.open(*transport, "/socket/echo");
  testing::run_until(loop, [&] { return session.socket != nullptr; });
  constexpr std::size_t k_pieces = 160;
  const std::string piece(std::size_t{64} << 10, 'x');
  std::size_t sent = 0;
  session.on_drained = [&] {
    while (sent < k_pieces && session.socket->waiting() == 0) {
      session.socket->send(std::string(1, static_cast<char>(sent)), piece);
      ++sent;
    }
  };
  session.on_drained();
  testing::run_until(loop, [&] { return session.messages == k_pieces; });
  CHECK(session.received.size() == k_pieces * (piece.size() + 1));
  for (std::size_t i = 0; i < k_pieces; ++i) {
    CHECK(session.received[i * (piece.size() + 1)] == static_cast<char>(i));
  }
}

TEST_CASE_FIXTURE(Fixture, "nothing is read while it is paused") {
  Session session;
  session.open(*transport, "/socket/echo");
  testing::run_until(loop, [&] { return session.socket != nullptr; });
  session.socket->pause(true);
  session.socket->send("\x01", "hello");
  CHECK(testing::fetch(loop, *transport, "/hello"));
  CHECK(testing::fetch(loop, *transport, "/hello"));
  CHECK(session.messages == 0);
  session.socket->pause(false);
  testing::run_until(loop, [&] { return session.messages == 1; });
}

TEST_CASE_FIXTURE(Fixture, "WS-04, WS-05 and WS-17: a refusal is told, with the server's words") {
  Session forbidden;
  forbidden.open(*transport, "/socket/forbidden");
  testing::run_until(loop, [&] { return forbidden.done.has_value(); });
  CHECK(*forbidden.done);
  CHECK(forbidden.head->status == 403);
  CHECK(forbidden.received == "not for you");
  for (const std::string target : {"/socket/wrong-key", "/socket/wrong-protocol"}) {
    Session wrong;
    wrong.open(*transport, target);
    testing::run_until(loop, [&] { return wrong.done.has_value(); });
    REQUIRE_FALSE(*wrong.done);
    CHECK(wrong.done->error().code == Code::unreachable);
    CHECK_FALSE(wrong.head);
  }
}

TEST_CASE_FIXTURE(Fixture, "a connection that is cut, or closed for a reason, is an error") {
  Session cut;
  cut.open(*transport, "/socket/cut");
  testing::run_until(loop, [&] { return cut.socket != nullptr; });
  cut.socket->send("\x01", "go");
  testing::run_until(loop, [&] { return cut.done.has_value(); });
  REQUIRE_FALSE(*cut.done);
  CHECK(cut.done->error().message.find("lost") != std::string::npos);
  Session closed;
  closed.open(*transport, "/socket/close");
  testing::run_until(loop, [&] { return closed.socket != nullptr; });
  closed.socket->send("\x01", "go");
  testing::run_until(loop, [&] { return closed.done.has_value(); });
  REQUIRE_FALSE(*closed.done);
  CHECK(closed.done->error().message.find("out of order (1011)") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "a server that pings without end and reads nothing is left") {
  Session session;
  session.open(*transport, "/socket/pings");
  testing::run_until(loop, [&] { return session.socket != nullptr; });
  session.socket->send("\x01", "go");
  testing::run_until(loop, [&] { return session.done.has_value(); });
  REQUIRE_FALSE(*session.done);
  CHECK(session.done->error().code == Code::unreachable);
  CHECK(session.done->error().message.find("sends pings") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "a server that is not there is an error, as for any request") {
  Endpoint endpoint;
  endpoint.base_url = "http://127.0.0.1:1";
  const auto nowhere = *make_curl_transport(loop, endpoint);
  Session session;
  session.open(*nowhere, "/socket/echo");
  testing::run_until(loop, [&] { return session.done.has_value(); });
  REQUIRE_FALSE(*session.done);
  CHECK(session.done->error().message.find("connection refused") != std::string::npos);
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_CASE_FIXTURE(Fixture, "200 sessions, one after another, leave no descriptor behind") {
  const auto session_of = [&](int number) {
    Session session;
    session.open(*transport, "/socket/echo");
    testing::run_until(loop, [&] { return session.socket != nullptr; });
    if (number % 2 == 0) return;  // the handle goes with the connection open
    session.socket->send("\x01", "hello");
    testing::run_until(loop, [&] { return session.messages == 1; });
  };
  session_of(1);
  const std::size_t before = open_files();
  for (int number = 0; number < 200; ++number) session_of(number);
  CHECK(open_files() <= before);
}

}  // namespace TEST_FILE
}  // namespace trainctl::net
