// The client's side of the embedded cluster's life: find the daemon, start it, end it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "base/time.h"
#include "local/daemon/places.h"
#include "net/http.h"

namespace trainctl::local {

// How a daemon is started: `program local serve`, detached from the terminal and from every file
// the caller has open.
struct Launch {
  std::string program;           // this executable
  Environment environment;       // the daemon's
  std::optional<Duration> idle;  // nullopt = its default; 0 = it stays
  int gpus = -1;                 // -1 = those present
};

// A daemon that accepts connections on the socket; starts one when there is none. Two commands at
// once start one daemon. Code::error with the daemon's last words when it does not come up.
Status ensure_running(const Places& places, const Launch& launch);

// The pid of the daemon that holds the lock; 0 = none.
int daemon_pid(const Places& places);

// Ends the daemon and its containers, and returns when they are gone; false when there is none.
Result<bool> end_daemon(const Places& places);

// Starts a daemon where one died, without waiting for it: for commands that were using it. At most
// one start is under way at a time.
class Reviver {
 public:
  Reviver(Places places, Launch launch) : places_(std::move(places)), launch_(std::move(launch)) {}
  // The pid of the daemon that accepts connections; 0 = none yet, ask again in a moment.
  // Code::error when it was told to end: then nobody wants another, and nobody waits.
  Result<int> operator()();

 private:
  Places places_;
  Launch launch_;
  int process_ = 0;
};

// A transport to the embedded cluster. The failure of a connection that cannot be made or breaks is
// told when `revive` gives a daemon, or after five seconds without one. When that is another daemon
// than before, the failure asks for another attempt at once; when there is none, after a second.
// When `revive` refuses, its error is the answer and is not worth a retry.
using Revive = std::function<Result<int>()>;
std::unique_ptr<net::Transport> make_reviving_transport(Loop& loop,
                                                        std::unique_ptr<net::Transport> inner,
                                                        Revive revive);

}  // namespace trainctl::local
