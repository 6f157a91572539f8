// A path that silently swallows packets: found in time, and left for another connection.
#include <array>

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/curl_transport.h"
#include "support/net_server.h"

namespace curl_transfer_test {

using namespace trainctl;
using namespace trainctl::testing;
using namespace std::chrono_literals;

// The state of a watch that the server keeps open.
struct HeldWatch {
  HeldWatch(net::Transport& transport, Loop& loop) {
    net::Request request;
    request.target = "/hold";
    net::Handlers handlers;
    handlers.on_data = [this](std::string_view) { open = true; };
    handlers.on_transient = [this](std::optional<Duration>) { transient = true; };
    handlers.on_done = [this](Status status) { end = std::move(status); };
    handle = transport.start(request, handlers);
    run_until(loop, [this] { return open; });
  }
  bool open = false;
  bool transient = false;
  std::optional<Status> end;
  HandlePtr handle;
};

// A port whose queue is full: the kernel drops every further attempt to connect.
class BlackHole {
 public:
  BlackHole() {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int& fd : sockets_) fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    auto* plain = reinterpret_cast<sockaddr*>(&address_);
    socklen_t size = sizeof address_;
    REQUIRE(bind(sockets_[0], plain, size) == 0);
    REQUIRE(listen(sockets_[0], 0) == 0);
    REQUIRE(getsockname(sockets_[0], plain, &size) == 0);
    for (std::size_t i = 1; i < sockets_.size(); ++i) connect(sockets_[i], plain, size);
  }
  ~BlackHole() {
    for (const int fd : sockets_) close(fd);
  }
  BlackHole(const BlackHole&) = delete;
  BlackHole& operator=(const BlackHole&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

 private:
  sockaddr_in address_{};
  std::array<int, 4> sockets_{};
};

net::Endpoint impatient(const NetServer& server) {
  net::Endpoint endpoint = tls_endpoint(server);
  endpoint.dead_after = 2s;
  return endpoint;
}

TEST_CASE("RQ-28: an address that swallows everything is reported as one that cannot be reached") {
  const BlackHole hole;
  UvLoop loop;
  net::Endpoint endpoint;
  endpoint.base_url = "https://" + hole.address();
  const auto transport = *net::make_curl_transport(loop, endpoint);
  net::Request request;
  request.target = "/hello";
  request.timeout = 300ms;
  const auto answer = fetch(loop, *transport, request);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message == "cannot reach " + hole.address() + ": connecting took too long");
}

TEST_CASE(
    "RQ-29: on a dead path a call fails long before its timeout, and the next one gets through") {
  CHECK(net::Endpoint{}.dead_after <= 45s);
  const NetServer server(NetServer::tls());
  UvLoop loop;
  const auto transport = *net::make_curl_transport(loop, impatient(server));
  HeldWatch watch(*transport, loop);
  REQUIRE(fetch(loop, *transport, "/deaf"));

  // libcurl may have sent it again by another connection already.
  const auto first = fetch(loop, *transport, "/hello");
  if (!first) {
    CHECK(first.error().message ==
          "the connection to " + server.address() + " was lost before its answer ended");
  }
  run_until(loop, [&] { return watch.end.has_value(); });
  CHECK_FALSE(*watch.end);
  CHECK(watch.transient);

  const auto answer = fetch(loop, *transport, "/hello");
  REQUIRE(answer);
  CHECK(answer->body == "hello");
}

TEST_CASE("RQ-29: a watch on which nothing happens ends too when its path is dead") {
  const NetServer server(NetServer::tls());
  UvLoop loop;
  const auto transport = *net::make_curl_transport(loop, impatient(server));
  HeldWatch watch(*transport, loop);
  REQUIRE(fetch(loop, *transport, "/deaf"));
  run_until(loop, [&] { return watch.end.has_value(); });
  CHECK_FALSE(*watch.end);
  CHECK(watch.transient);
}

}  // namespace curl_transfer_test
