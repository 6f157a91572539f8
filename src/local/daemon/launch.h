// Finds, starts and ends the daemon of the embedded cluster, for its clients.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "base/text/time.h"
#include "local/daemon/places.h"
#include "net/http.h"

namespace trainctl::local {

// The start of a daemon: `program local serve`, detached from the terminal and from every file the
// caller has open.
struct Launch {
  std::string program;           // this executable
  Environment environment;       // environment of the daemon
  std::optional<Duration> idle;  // nullopt = its default; 0 = it never ends by itself
  int gpus = -1;                 // -1 = those present
  long log_limit = -1;           // MiB for each job; -1 = its default
  // Called when it takes some seconds until a daemon serves.
  std::function<void()> on_wait = {};
};

// Makes sure that a daemon accepts connections on the socket, starting one when there is none. Two
// commands at once start one daemon. Code::error with the daemon's last output when it does not
// come up.
Status ensure_running(const DaemonPaths& places, const Launch& launch);

// The pid of the daemon that holds the lock; 0 = none.
int daemon_pid(const DaemonPaths& places);

// Ends the daemon and its containers, and returns when they are gone; false when there is none.
// `waits` is called when that takes some seconds, and then every half minute.
Result<bool> end_daemon(const DaemonPaths& places, const std::function<void()>& waits);

// The error of requests after `local down`.
inline constexpr std::string_view k_was_ended = "the embedded cluster was ended";

// Starts a daemon in place of one that died, without waiting for it, for commands that were using
// it. At most one start is in progress at a time.
class Reviver {
 public:
  Reviver(DaemonPaths places, Launch launch)
      : places_(std::move(places)), launch_(std::move(launch)) {}
  // The pid of the daemon that accepts connections; 0 = none yet, ask again in a moment.
  // Code::error when the daemon was ended on purpose, so that no other should be started.
  Result<int> operator()();

 private:
  DaemonPaths places_;
  Launch launch_;
  int process_ = 0;
};

// A transport to the embedded cluster. When a connection fails or breaks, the failure is held back
// until `revive` reports a daemon, for at most five seconds. If that daemon is another one than
// before, the failure requests a retry at once; if there is none, after a second. When `revive`
// returns an error, that error is the answer and is not retried.
using Revive = std::function<Result<int>()>;
std::unique_ptr<net::Transport> make_reviving_transport(Loop& loop,
                                                        std::unique_ptr<net::Transport> inner,
                                                        Revive revive);

}  // namespace trainctl::local
