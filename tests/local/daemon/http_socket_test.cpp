// WebSockets of the embedded API server, from the project's own client and from hostile ones.
#include <filesystem>
#include <utility>

#include <sys/socket.h>
#include <sys/un.h>

#include "base/file/descriptor.h"
#include "local/daemon/http_world.h"
#include "local/objects.h"
#include "net/websocket.h"

namespace trainctl::testing {
namespace http_socket_test {

struct Client {
  int status = 0;
  net::WebSocket* socket = nullptr;
  std::string received;
  std::optional<Status> done;
  HandlePtr handle;

  void open(net::Transport& transport) {
    net::Request request;
    request.target = "/echo";
    request.protocols = {"v5.channel.k8s.io", "v4.channel.k8s.io"};
    net::Handlers handlers;
    handlers.on_head = [this](const net::ResponseHead& head) { status = head.status; };
    handlers.on_socket = [this](net::WebSocket& opened) { socket = &opened; };
    handlers.on_data = [this](std::string_view message) { received += message; };
    handlers.on_done = [this](Status end) {
      done = std::move(end);
      socket = nullptr;
    };
    handle = transport.start(std::move(request), std::move(handlers));
  }
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// A connection to the Unix socket whose bytes the test writes itself.
struct RawClient {
  explicit RawClient(Served& served) : served_(served) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = served.socket();
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    REQUIRE(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  void say(std::string_view bytes) {
    REQUIRE(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }
  // Returns the head of the answer.
  std::string upgrade(const std::vector<std::string>& protocols = {"v4.channel.k8s.io"}) {
    say(net::upgrade_request("/echo", {{"Host", "localhost"}}, protocols,
                             net::new_websocket_key()));
    run_until(served_.loop, [&] { return hear().find("\r\n\r\n") != std::string::npos; });
    REQUIRE(heard.starts_with("HTTP/1.1 101 "));
    return std::exchange(heard, {});
  }
  const std::string& hear() {
    char bytes[4096];
    ssize_t size = 0;
    while ((size = ::recv(fd.get(), bytes, sizeof bytes, 0)) > 0) {
      heard.append(bytes, static_cast<std::size_t>(size));
    }
    ended = ended || size == 0 || (errno != EAGAIN && errno != EINTR);
    return heard;
  }

  Descriptor fd;
  std::string heard;
  bool ended = false;

 private:
  Served& served_;
};

TEST_CASE("a client without a protocol gets none") {
  Served served;
  served.serve_socket();
  const std::string masked = {'\x82', '\x81', 0, 0, 0, 0, 'x'};
  RawClient plain(served);
  CHECK(plain.upgrade({}).find("Sec-WebSocket-Protocol") == std::string::npos);
  plain.say(masked);
  run_until(served.loop, [&] { return plain.hear() == "\x82\x01x"; });
}

TEST_CASE("a request leaves HTTP for messages in both directions") {
  Served served;
  served.serve_socket();
  Client client;
  client.open(*served.transport);
  run_until(served.loop, [&] { return client.socket != nullptr; });
  CHECK(client.status == 101);
  CHECK(client.socket->protocol() == "v5.channel.k8s.io");
  CHECK(served.server->active() == 1);
  const std::string large(std::size_t{900} << 10, 'x');
  client.socket->send("a", large);
  client.socket->send("b", "end");
  run_until(served.loop, [&] { return client.received.size() == large.size() + 5; });
  CHECK(client.received.ends_with("xbend"));
  client.socket->send("close", "");
  run_until(served.loop, [&] { return client.done.has_value(); });
  CHECK(client.done->has_value());
  run_until(served.loop, [&] { return served.echo.alive == 0 && served.server->active() == 0; });
}

TEST_CASE("all output of a session before its end arrives") {
  Served served;
  served.serve_socket();
  Client client;
  client.open(*served.transport);
  run_until(served.loop, [&] { return client.socket != nullptr; });
  const std::string piece(std::size_t{500} << 10, 'x');
  for (int i = 0; i < 8; ++i) client.socket->send("", piece);
  client.socket->send("close", "");
  run_until(served.loop, [&] { return client.done.has_value(); });
  CHECK(client.received.size() == 8 * piece.size());
}

TEST_CASE("200 sessions one after another leave no descriptor and no session behind") {
  Served served;
  served.serve_socket();
  std::size_t before = 0;
  for (int i = 0; i < 200; ++i) {
    if (i == 3) before = open_descriptors();
    Client client;
    client.open(*served.transport);
    run_until(served.loop, [&] { return client.socket != nullptr; });
    if (i % 2 == 0) {
      client.socket->send("close", "");
      run_until(served.loop, [&] { return client.done.has_value(); });
    }
    client.handle.reset();
    run_until(served.loop, [&] { return served.echo.alive == 0 && served.server->active() == 0; });
  }
  CHECK(open_descriptors() <= before);
}

TEST_CASE("a breach of the WebSocket protocol ends the connection, and the server goes on") {
  Served served;
  served.serve_socket();
  std::string hostile;
  SUBCASE("a frame that is not masked") {
    hostile = std::string("\x82\x01x", 3);
  }
  SUBCASE("a frame of exabytes") {
    hostile = std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0x", 15);
  }
  SUBCASE("a message above the limit") {
    hostile = std::string("\x82\xff\0\0\0\0\0\x20\0\0\0\0\0\0x", 15);
  }
  SUBCASE("a ping in parts") {
    hostile = std::string("\x09\x80\0\0\0\0", 6);
  }
  SUBCASE("no frames at all") {
    hostile = "GET / HTTP/1.1\r\n\r\n";
  }
  RawClient raw(served);
  raw.upgrade();
  raw.say(hostile);
  run_until(served.loop, [&] {
    raw.hear();
    return raw.ended;
  });
  run_until(served.loop, [&] { return served.echo.alive == 0 && served.server->active() == 0; });
  CHECK(served.get("/x").head.status == 200);
}

TEST_CASE("a cut handshake, and one that is none, begin no session") {
  Served served;
  served.serve_socket();
  std::string head = net::upgrade_request("/echo", {{"Host", "localhost"}}, {"v4.channel.k8s.io"},
                                          net::new_websocket_key());
  SUBCASE("cut") {
    head.resize(head.size() / 2);
  }
  SUBCASE("cut behind its end") {}
  SUBCASE("another version") {
    head.replace(head.find("Version: 13"), 11, "Version: 12");
  }
  SUBCASE("a key that is none") {
    head.replace(head.find("Key: ") + 5, 8, "");
  }
  {
    RawClient raw(served);
    raw.say(head);
    local_objects::settle(served.loop);
  }
  run_until(served.loop, [&] { return served.echo.alive == 0 && served.server->active() == 0; });
  CHECK(served.get("/x").head.status == 200);
}

TEST_CASE(
    "bytes that a client sends before it has the answer are neither a message nor a request") {
  Served served;
  served.serve_socket();
  std::string early = {'\x82', '\x81', 0, 0, 0, 0, 'x'};
  SUBCASE("a message") {}
  SUBCASE("a request") {
    early = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }
  RawClient raw(served);
  raw.say(net::upgrade_request("/echo", {{"Host", "localhost"}}, {"v4.channel.k8s.io"},
                               net::new_websocket_key()) +
          early);
  run_until(served.loop, [&] { return raw.hear().ends_with("\r\n\r\n"); });
  REQUIRE(raw.heard.starts_with("HTTP/1.1 101 "));
  raw.heard.clear();
  raw.say(std::string("\x82\x81\0\0\0\0y", 7));
  run_until(served.loop, [&] { return raw.hear() == "\x82\x01y"; });
  raw.say(std::string("\x82\x85\0\0\0\0close", 11));
  run_until(served.loop, [&] { return served.echo.alive == 0 || raw.hear().size() > 3; });
  raw.say(std::string("\x88\x80\0\0\0\0", 6));
  run_until(served.loop, [&] {
    raw.hear();
    return raw.ended && served.server->active() == 0;
  });
  CHECK(served.seen.size() == 1);
}

TEST_CASE("a client that never reads makes a session wait instead of taking memory") {
  Served served;
  served.serve_socket();
  RawClient raw(served);
  raw.upgrade();
  raw.say(std::string("\x82\x85\0\0\0\0flood", 11));
  run_until(served.loop, [&] { return served.echo.flooded > 0; });
  for (int i = 0; i < 50; ++i) served.get("/x");
  CHECK(served.echo.most_waiting <= local::k_session_room + (std::size_t{33} << 10));
  CHECK(served.echo.flooded < (std::size_t{4} << 20));
  // Neither do the answers to its pings: it is not heard any more.
  const std::string ping("\x89\x80\0\0\0\0", 6);
  std::string pings;
  while (pings.size() < (std::size_t{1} << 20)) pings += ping;
  std::size_t taken = 0;
  for (int i = 0; i < 50; ++i) {
    const ssize_t size = ::send(raw.fd.get(), pings.data(), pings.size(), MSG_NOSIGNAL);
    if (size > 0) taken += static_cast<std::size_t>(size);
    served.get("/x");
  }
  CHECK(taken < (std::size_t{4} << 20));
  raw.fd.reset();
  run_until(served.loop, [&] { return served.echo.alive == 0 && served.server->active() == 0; });
}

TEST_CASE("a server with open sessions can end") {
  Served served;
  served.serve_socket();
  Client client;
  client.open(*served.transport);
  run_until(served.loop, [&] { return client.socket != nullptr; });
  served.server.reset();
  CHECK(served.echo.alive == 0);
  run_until(served.loop, [&] { return client.done.has_value(); });
}

}  // namespace http_socket_test
}  // namespace trainctl::testing
