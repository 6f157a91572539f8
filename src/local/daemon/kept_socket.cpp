// Looks whether the file is there; that it leads to this process is the lock's matter.
#include "local/daemon/kept_socket.h"

#include <algorithm>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "base/text/text.h"
#include "local/daemon/listen.h"

namespace trainctl::local {
namespace {

bool is_readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 1;
}

}  // namespace

Status KeptSocket::open() {
  TRY_ASSIGN(Descriptor socket, listen_on_socket(places_.socket));
  listening_ = socket.get();
  TRY_ASSIGN(auto server, HttpServer::start(loop_, std::move(socket), handler_));
  servers_.push_back(std::move(server));
  return {};
}

std::string KeptSocket::keep() {
  if (::access(places_.socket.c_str(), F_OK) == 0) return "";
  Status opened = make_private(places_);
  if (opened) opened = open();
  if (opened) {
    last_fault_.clear();
    return cat("the socket was deleted: serves on a new one, ", places_.socket);
  }
  const std::string fault = cat("the socket was deleted: ", opened.error().message);
  return std::exchange(last_fault_, fault) == fault ? "" : fault;
}

bool KeptSocket::is_used() const {
  const auto serves = [](const auto& server) { return server->active() > 0; };
  return std::ranges::any_of(servers_, serves) || is_readable(listening_);
}

}  // namespace trainctl::local
