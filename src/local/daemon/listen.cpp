// Binds and listens; every failure names address and reason.
#include "local/daemon/listen.h"

#include <cerrno>
#include <cstring>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/text/text.h"
#include "local/daemon/places.h"

namespace trainctl::local {
namespace {

Error cannot_listen(const std::string& where) {
  return {Code::error, cat("cannot listen on ", where, ": ", system_words(errno)), ""};
}

// The port of "HOST:PORT", "HOST" or "PORT" where HOST is this machine's loopback.
std::optional<std::uint16_t> loopback_port_of(const std::string& address) {
  for (const std::string_view host : {"127.0.0.1", "localhost"}) {
    if (address == host) return 0;
    const std::string front = cat(host, ":");
    if (address.starts_with(front))
      return parse_number<std::uint16_t>(std::string_view(address).substr(front.size()));
  }
  return parse_number<std::uint16_t>(address);
}

}  // namespace

Result<Descriptor> listen_on_socket(const std::string& path) {
  if (reach(path) == Reach::accepts) {
    return Error{
        Code::error, cat("another embedded cluster serves on ", path),
        "stop that cluster with its own state directory: XDG_STATE_HOME=DIR trainctl local down"};
  }
  ::unlink(path.c_str());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return cannot_listen(path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (!fd || ::bind(fd.get(), where, sizeof address) != 0 || ::listen(fd.get(), SOMAXCONN) != 0) {
    return cannot_listen(path);
  }
  return fd;
}

Result<LoopbackPort> listen_on_loopback(const std::string& text) {
  const auto port = loopback_port_of(text);
  if (!port) {
    return Error{Code::usage, cat("`", printable_line(text), "` is not a loopback address"),
                 "--listen, --listen=127.0.0.1:PORT or --listen=PORT"};
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(*port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* where = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(fd.get(), where, size) != 0 || ::listen(fd.get(), SOMAXCONN) != 0 ||
      ::getsockname(fd.get(), where, &size) != 0) {
    return cannot_listen(cat("127.0.0.1:", *port));
  }
  return LoopbackPort{std::move(fd), ntohs(address.sin_port)};
}

}  // namespace trainctl::local
