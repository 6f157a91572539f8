// Reads headers and socket options.
#include "local/daemon/http_server_peer.h"

#include <sys/socket.h>
#include <unistd.h>

namespace trainctl::local {
std::string header_of(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

int socket_of(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == nullptr ? -1 : info->connect_fd;
}

// The kernel reports the user at the other end of a Unix socket.
bool is_own_peer(MHD_Connection* connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket_of(connection), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::getuid();
}

}  // namespace trainctl::local
