// Binds and listens; every failure names the path and the reason.
#include "local/daemon/listen.h"

#include <cerrno>
#include <cstring>

#include <sys/socket.h>
#include <sys/un.h>

#include "base/text/text.h"
#include "local/daemon/places.h"

namespace trainctl::local {
namespace {

Error cannot_listen(const std::string& where) {
  return {Code::error, cat("cannot listen on ", where, ": ", system_words(errno)), ""};
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

}  // namespace trainctl::local
