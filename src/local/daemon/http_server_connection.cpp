// Reads and writes a socket, or the TLS session over it.
#include "local/daemon/http_server_connection.h"

#include <cerrno>

#include <gnutls/gnutls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "local/daemon/http_server_peer.h"

namespace trainctl::local {
namespace {

gnutls_session_t session_of(void* tls) {
  return static_cast<gnutls_session_t>(tls);
}

std::optional<std::size_t> moved(ssize_t size, bool again) {
  if (size >= 0) return static_cast<std::size_t>(size);
  return again ? std::nullopt : std::optional(std::size_t{0});
}

bool is_again(ssize_t size) {
  return size == GNUTLS_E_AGAIN || size == GNUTLS_E_INTERRUPTED;
}

bool system_says_again() {
  return errno == EAGAIN || errno == EINTR;
}

}  // namespace

HttpConnection::HttpConnection(MHD_Connection* connection) : socket_(socket_of(connection)) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  tls_ = info == nullptr ? nullptr : info->tls_session;
  const int yes = 1;  // without effect on a Unix socket
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

std::optional<std::size_t> HttpConnection::read(char* to, std::size_t room) {
  if (tls_ == nullptr) {
    const ssize_t size = ::recv(socket_, to, room, MSG_DONTWAIT);
    return moved(size, size < 0 && system_says_again());
  }
  const ssize_t size = gnutls_record_recv(session_of(tls_), to, room);
  return moved(size, is_again(size));
}

std::optional<std::size_t> HttpConnection::write(std::string_view bytes) {
  if (tls_ == nullptr) {
    const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return moved(size, size < 0 && system_says_again());
  }
  // GnuTLS keeps the record that it could not send, and is asked to continue with that.
  const ssize_t size = gnutls_record_send(session_of(tls_), repeats_ ? nullptr : bytes.data(),
                                          repeats_ ? 0 : bytes.size());
  repeats_ = is_again(size);
  return moved(size, repeats_);
}

bool HttpConnection::has_unread() const {
  return tls_ != nullptr && gnutls_record_check_pending(session_of(tls_)) > 0;
}

}  // namespace trainctl::local
