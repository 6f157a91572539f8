// WebSockets of the embedded API server: connections that libmicrohttpd has suspended.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <microhttpd.h>

#include "base/loop/loop.h"
#include "local/answer.h"

namespace trainctl::local {

class HttpSocket;

// The upgraded connections of one server.
class UpgradedSockets {
 public:
  // `wake` makes the server run soon, because it does not notice a closed connection by itself.
  UpgradedSockets(UvLoop& loop, std::function<void()> wake);
  ~UpgradedSockets();
  UpgradedSockets(const UpgradedSockets&) = delete;
  UpgradedSockets& operator=(const UpgradedSockets&) = delete;
  void add(std::shared_ptr<HttpSocket> socket);
  void remove(const std::shared_ptr<HttpSocket>& socket);
  void wake() { wake_(); }
  UvLoop& loop() { return loop_; }
  // Ends every session, since libmicrohttpd cannot stop with suspended connections.
  void close_all();

 private:
  UvLoop& loop_;
  std::function<void()> wake_;
  std::set<std::shared_ptr<HttpSocket>> sockets_;
};

// True for the opening handshake of a WebSocket (RFC 6455, 4.2.1).
bool asks_for_websocket(MHD_Connection* connection);
std::vector<std::string> offered_protocols(MHD_Connection* connection);

// Takes the connection for the session of `answer` and says so to the client. libmicrohttpd, which
// asks for an answer again when the session has ended, must then be told to close the connection.
// The caller keeps the returned object until then.
std::shared_ptr<void> upgrade(MHD_Connection* connection, ApiAnswer answer,
                              UpgradedSockets& upgraded);

}  // namespace trainctl::local
