// Two sockets a connection, and the counting of what passes between them.
#include "support/cut_proxy.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace trainctl::testing {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<in_port_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int made_socket() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::runtime_error("no socket");
  return fd;
}

int connected(int port) {
  const int fd = made_socket();
  const sockaddr_in address = loopback(port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("the server behind the proxy is gone");
  }
  return fd;
}

void send_at_once(int fd) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

}  // namespace

class CutProxy::Link {
 public:
  Link(UvLoop& loop, int client, int server, Cut cut)
      : client_(client), server_(server), cut_(cut) {
    send_at_once(client_);
    send_at_once(server_);
    from_client_ = loop.on_fd(client_, true, false, [this](bool, bool) {
      forward(client_, server_, passed_.request, cut_.request);
    });
    from_server_ = loop.on_fd(server_, true, false, [this](bool, bool) {
      forward(server_, client_, passed_.answer, cut_.answer);
    });
  }
  ~Link() { end(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  Passed passed() const { return passed_; }
  void cut_answer_now() { cut_.answer = passed_.answer; }

 private:
  void forward(int from, int to, std::size_t& count, const std::optional<std::size_t>& limit) {
    std::array<char, 65536> piece{};
    const ssize_t got = recv(from, piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return end();
    auto size = static_cast<std::size_t>(got);
    const bool over = limit && count + size > *limit;
    if (over) size = *limit - count;
    count += size;
    if (size > 0 && send(to, piece.data(), size, MSG_NOSIGNAL) < 0) return end();
    if (over) end();
  }

  // May come from a handler of one of the sockets: it is the last thing done there.
  void end() {
    if (client_ < 0) return;
    from_client_.reset();
    from_server_.reset();
    if (cut_.reset) {
      const linger at_once{1, 0};
      setsockopt(client_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    close(std::exchange(client_, -1));
    close(std::exchange(server_, -1));
  }

  int client_;
  int server_;
  Cut cut_;
  Passed passed_;
  HandlePtr from_client_, from_server_;
};

CutProxy::CutProxy(UvLoop& loop, int server_port)
    : loop_(loop), server_port_(server_port), listener_(made_socket()) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, plain, size) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, plain, &size) != 0) {
    throw std::runtime_error("cannot listen");
  }
  port_ = ntohs(address.sin_port);
  listening_ = loop_.on_fd(listener_, true, false, [this](bool, bool) { accept_one(); });
}

CutProxy::~CutProxy() {
  listening_.reset();
  links_.clear();
  close(listener_);
}

void CutProxy::cut_next(Cut cut) {
  links_.clear();
  cut_ = cut;
}

void CutProxy::cut_answer_now() {
  if (!links_.empty()) links_.front()->cut_answer_now();
}

CutProxy::Passed CutProxy::passed() const {
  return links_.empty() ? Passed{} : links_.front()->passed();
}

void CutProxy::accept_one() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  links_.push_back(std::make_unique<Link>(loop_, client, connected(server_port_),
                                          links_.empty() ? cut_ : Cut{}));
}

}  // namespace trainctl::testing
