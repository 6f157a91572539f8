// The most that clients can cost the embedded API server.
#include <algorithm>

#include <sys/socket.h>
#include <sys/un.h>

#include "base/file/descriptor.h"
#include "local/daemon/http_world.h"

namespace trainctl::testing {
namespace http_limits_test {

// A peer that says what it likes to the socket, and hears what comes.
struct RawPeer {
  RawPeer(UvLoop& loop, const std::string& socket)
      : fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket.copy(address.sun_path, sizeof address.sun_path - 1);
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

TEST_CASE("bodies that come at once take a bounded sum of memory") {
  Served served;
  served.serve_socket();
  constexpr std::size_t k_size = std::size_t{3} << 20U;
  constexpr std::size_t k_peers = 24;  // 72 MiB
  std::vector<std::unique_ptr<RawPeer>> peers;
  const std::string head =
      cat("POST /x HTTP/1.1\r\nHost: x\r\n", "Content-Length: ", k_size, "\r\n\r\n");
  const std::string body(k_size - 1, 'b');
  for (std::size_t i = 0; i < k_peers; ++i) {
    peers.push_back(std::make_unique<RawPeer>(served.loop, served.socket()));
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

}  // namespace http_limits_test
}  // namespace trainctl::testing
