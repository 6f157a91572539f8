// Reads headers and socket options.
#include "local/daemon/http_server_peer.h"

#include <string_view>

#include <sys/socket.h>
#include <unistd.h>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

// Takes the same time for a wrong guess as for a right one.
bool same_secret(std::string_view given, std::string_view wanted) {
  unsigned difference = given.size() == wanted.size() ? 0 : 1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const char byte = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned char>(byte ^ wanted[i]);
  }
  return difference == 0;
}

}  // namespace

std::string header_of(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

bool has_token(MHD_Connection* connection, const std::string& token) {
  const Halves words = split_once(header_of(connection, "Authorization"), ' ');
  return lower(words.first) == "bearer" && same_secret(trim(words.second), token);
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
