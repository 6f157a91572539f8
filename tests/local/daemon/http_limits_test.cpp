// What strangers on the loopback port can cost the embedded API server.
#include <algorithm>

#include <netinet/in.h>
#include <sys/socket.h>

#include "local/daemon/http_world.h"

namespace trainctl::testing {
namespace TEST_FILE {

// A peer that says what it likes to a port, and hears what comes.
struct RawPeer {
  RawPeer(UvLoop& loop, std::uint16_t port) : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    watch = loop.on_fd(fd.get(), true, false, [this](bool, bool) {
      char buffer[4096];
      const ssize_t size = ::read(fd.get(), buffer, sizeof buffer);
      if (size > 0) heard.append(buffer, static_cast<std::size_t>(size));
      if (size > 0) return;
      ended = true;
      watch.reset();
    });
  }
  void say(std::string_view text) {
    REQUIRE(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }

  Descriptor fd;
  HandlePtr watch;
  std::string heard;
  bool ended = false;
};

TEST_CASE("without the token no byte of a body is waited for") {
  Served served;
  const std::uint16_t port = served.serve_plain_port();
  RawPeer peer(served.loop, port);
  peer.say("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\nbegun");
  run_until(served.loop, [&] { return peer.ended; });
  CHECK(peer.heard.starts_with("HTTP/1.1 401 "));
  CHECK(served.seen.empty());
}

TEST_CASE("who says nothing to the port, or speaks too slowly, is turned away") {
  Served served;
  const std::uint16_t port =
      served.serve_plain_port({.strangers = 64, .patience = std::chrono::milliseconds(50)});
  RawPeer silent(served.loop, port);
  RawPeer slow(served.loop, port);
  HandlePtr timer;
  const std::function<void()> trickle = [&] {
    if (slow.ended) return;
    (void)::send(slow.fd.get(), "x", 1, MSG_NOSIGNAL);
    timer = served.loop.after(std::chrono::milliseconds(5), trickle);
  };
  trickle();
  run_until(served.loop, [&] { return silent.ended && slow.ended; });
  CHECK(served.seen.empty());
}

TEST_CASE("however many strangers hold connections, the owner is served") {
  Served served;
  const std::uint16_t port = served.serve_plain_port();
  constexpr int k_many = 300;  // more than the port takes connections
  std::vector<std::unique_ptr<RawPeer>> strangers;
  for (int i = 0; i < k_many; ++i) {
    strangers.push_back(std::make_unique<RawPeer>(served.loop, port));
    strangers.back()->say("POST /x HTTP/1.1\r\n");
  }
  RawPeer owner(served.loop, port);
  owner.say("GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n\r\n");
  run_until(served.loop, [&] { return owner.heard.ends_with("GET /api 0"); });
  run_until(served.loop, [&] {
    return std::ranges::count_if(strangers, [](const auto& one) { return one->ended; }) >= 200;
  });
}

TEST_CASE("bodies that come at once take a bounded sum of memory") {
  Served served;
  const std::uint16_t port = served.serve_plain_port();
  constexpr std::size_t k_size = std::size_t{3} << 20U;
  constexpr std::size_t k_peers = 24;  // 72 MiB
  std::vector<std::unique_ptr<RawPeer>> peers;
  const std::string head = cat("POST /x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\n",
                               "Content-Length: ", k_size, "\r\n\r\n");
  const std::string body(k_size - 1, 'b');
  for (std::size_t i = 0; i < k_peers; ++i) {
    peers.push_back(std::make_unique<RawPeer>(served.loop, port));
    RawPeer& peer = *peers.back();
    peer.say(head);
    std::size_t said = 0;
    run_until(served.loop, [&] {
      const ssize_t size = ::send(peer.fd.get(), body.data() + said, body.size() - said,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
      if (size > 0) said += static_cast<std::size_t>(size);
      return said == body.size();
    });
  }
  for (const auto& peer : peers) peer->say("e");
  const auto answered = [&](std::string_view status) {
    return std::ranges::count_if(
        peers, [&](const auto& peer) { return peer->heard.starts_with(cat("HTTP/1.1 ", status)); });
  };
  run_until(served.loop, [&] { return answered("") == static_cast<long>(k_peers); });
  CHECK(answered("201") == 21);
  CHECK(answered("429") == 3);
}

}  // namespace TEST_FILE
}  // namespace trainctl::testing
