// The daemon's Unix socket, opened again where it was deleted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "local/daemon/http_server.h"
#include "local/daemon/places.h"

namespace trainctl::local {

class KeptSocket {
 public:
  KeptSocket(UvLoop& loop, Places places, HttpServer::Handler handler)
      : loop_(loop), places_(std::move(places)), handler_(std::move(handler)) {}

  // Listens on a new socket.
  Status open();
  // Opens a new one if it is gone: a logout empties the session's run-time directory, and cleaners
  // of /tmp delete sockets. Returns what happened, for the log; "" = nothing, or the same again.
  std::string keep();
  // True while a request runs, or a client waits to be accepted.
  bool is_used() const;

 private:
  UvLoop& loop_;
  Places places_;
  HttpServer::Handler handler_;
  int listening_ = -1;
  // One for each socket so far: clients of a deleted one are served to the end.
  std::vector<std::unique_ptr<HttpServer>> servers_;
  std::string last_fault_;
};

}  // namespace trainctl::local
