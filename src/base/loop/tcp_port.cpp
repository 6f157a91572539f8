// Sockets of the system, none of which block.
#include "base/loop/tcp_port.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

constexpr int k_waiting_programs = 128;
constexpr std::size_t k_piece = std::size_t{64} << 10;

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

std::optional<Address> address_of(const std::string& text, int port) {
  Address address;
  auto& four = reinterpret_cast<sockaddr_in&>(address.storage);
  if (inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<std::uint16_t>(port));
    address.size = sizeof four;
    return address;
  }
  auto& six = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(static_cast<std::uint16_t>(port));
    address.size = sizeof six;
    return address;
  }
  return std::nullopt;
}

Error broken(int error_number) {
  return {Code::unreachable, cat("the connection is broken: ", system_words(error_number)), ""};
}

}  // namespace

TcpSocket::~TcpSocket() {
  if (fd_ >= 0) close(fd_);
}

TcpSocket& TcpSocket::operator=(TcpSocket&& other) noexcept {
  if (fd_ >= 0 && this != &other) close(fd_);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

int TcpSocket::port() const {
  Address address;
  address.size = sizeof address.storage;
  if (getsockname(fd_, address.get(), &address.size) != 0) return 0;
  const bool is_six = address.storage.ss_family == AF_INET6;
  return ntohs(is_six ? reinterpret_cast<sockaddr_in6&>(address.storage).sin6_port
                      : reinterpret_cast<sockaddr_in&>(address.storage).sin_port);
}

std::optional<TcpSocket> TcpSocket::accept() const {
  const int fd = ::accept(fd_, nullptr, nullptr);
  if (fd < 0) return std::nullopt;
  close_on_exec(fd);
  never_block(fd);
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return TcpSocket(fd);
}

Result<std::optional<std::string>> TcpSocket::read() const {
  std::string piece(k_piece, '\0');
  const ssize_t count = recv(fd_, piece.data(), piece.size(), 0);
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return std::optional<std::string>();
    return broken(errno);
  }
  piece.resize(static_cast<std::size_t>(count));
  return std::optional(std::move(piece));
}

Result<std::size_t> TcpSocket::write(std::string_view bytes) const {
  const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN || errno == EINTR) return std::size_t{0};
  return broken(errno);
}

bool is_any_address(const std::string& address) {
  auto where = address_of(address, 0);
  if (!where) return false;
  if (where->storage.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(where->storage);
    return four.sin_addr.s_addr == htonl(INADDR_ANY);
  }
  return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(where->storage).sin6_addr);
}

bool includes_loopback(const std::string& address) {
  auto where = address_of(address, 0);
  if (!where) return false;
  if (is_any_address(address)) return true;
  if (where->storage.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(where->storage);
    return four.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
  }
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(where->storage).sin6_addr);
}

Result<TcpSocket> listen_on(const std::string& address, int port) {
  auto where = address_of(address, port);
  if (!where) {
    return Error{Code::usage, cat("`", printable_line(address), "` is not an IP address"),
                 "write --address 127.0.0.1"};
  }
  TcpSocket socket(::socket(where->storage.ss_family, SOCK_STREAM, 0));
  close_on_exec(socket.fd());
  never_block(socket.fd());
  const int on = 1;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (where->storage.ss_family == AF_INET6) {
    setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  }
  if (bind(socket.fd(), where->get(), where->size) == 0 &&
      listen(socket.fd(), k_waiting_programs) == 0) {
    return socket;
  }
  const int error_number = errno;
  const std::string message =
      cat("cannot listen on ", address, " port ", port, ": ", system_words(error_number));
  switch (error_number) {
    case EADDRINUSE:
      return Error{Code::error, message, "choose another local port, or any free one: :REMOTE"};
    case EACCES:
      return Error{Code::error, message, "ports below 1024 are for root: choose a higher one"};
    default:
      return Error{Code::usage, message, "write --address 127.0.0.1"};
  }
}

}  // namespace trainctl
