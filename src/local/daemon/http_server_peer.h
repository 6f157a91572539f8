// Identifies the sender of a request by its headers and socket.
#pragma once

#include <string>

#include <microhttpd.h>

namespace trainctl::local {

// The first header of that name; "" when there is none.
std::string header_of(MHD_Connection* connection, const char* name);
int socket_of(MHD_Connection* connection);
// True for a connection over a Unix socket from this process's user.
bool is_own_peer(MHD_Connection* connection);

}  // namespace trainctl::local
