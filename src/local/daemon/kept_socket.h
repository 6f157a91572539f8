// The daemon's Unix socket, opened again where it was deleted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file/descriptor.h"
#include "base/loop/loop.h"
#include "base/result.h"
#include "local/daemon/http_server.h"
#include "local/daemon/places.h"

namespace trainctl::local {

// Listens on a Unix socket and replaces a stale one; only for the holder of the lock. Code::error
// when somebody answers on it.
Result<Descriptor> listen_on_socket(const std::string& path);

class KeptSocket {
 public:
  KeptSocket(UvLoop& loop, DaemonPaths places, HttpServer::Handler handler)
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
  DaemonPaths places_;
  HttpServer::Handler handler_;
  int listening_ = -1;
  // One for each socket so far: clients of a deleted one are served to the end.
  std::vector<std::unique_ptr<HttpServer>> servers_;
  std::string last_fault_;
};

// Waits for the lock that makes a process the one daemon of a state directory. The lock, or empty
// when another daemon holds it and serves. Waits for a holder that does not serve yet or is just
// ending; Code::error when it does neither for a minute, or serves in another run-time directory.
// Runs the loop.
Result<Descriptor> take_lock(UvLoop& loop, const DaemonPaths& places);

// Returns why the daemon that holds the lock cannot be reached, and what to do.
Error held_by_another(const DaemonPaths& places);

}  // namespace trainctl::local
