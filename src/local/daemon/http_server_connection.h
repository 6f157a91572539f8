// Reads and writes the bytes of a connection that has left HTTP. libmicrohttpd's own upgrade
// forwards those of TLS in pieces of four bytes (0.9.75), so the connection is suspended in
// libmicrohttpd and handled here instead.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include <microhttpd.h>

namespace trainctl::local {

class HttpConnection {
 public:
  explicit HttpConnection(MHD_Connection* connection);
  int socket() const { return socket_; }
  // Neither blocks. nullopt = nothing now; 0 = the connection has ended.
  std::optional<std::size_t> read(char* to, std::size_t room);
  std::optional<std::size_t> write(std::string_view bytes);
  // The TLS layer may hold bytes that the socket does not show.
  bool has_unread() const;

 private:
  int socket_;
  void* tls_;             // a GnuTLS session; nullptr = no TLS
  bool repeats_ = false;  // the last write has to be finished with the same bytes
};

}  // namespace trainctl::local
