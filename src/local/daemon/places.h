// The directories of a user's embedded cluster, which nobody else can access.
#pragma once

#include <optional>
#include <string>

#include "base/environment.h"
#include "base/file/descriptor.h"
#include "base/loop/processes.h"
#include "base/result.h"

namespace trainctl::local {

// The socket's directory is private (0700, owned by us): the run-time directory of the session,
// else one below the temporary directory.
struct DaemonPaths {
  std::string state;   // $XDG_STATE_HOME/trainctl/local, else ~/.local/state/trainctl/local
  std::string socket;  // $XDG_RUNTIME_DIR/trainctl/local.sock
  std::string lock() const { return state + "/daemon.lock"; }
  std::string database() const { return state + "/cluster.db"; }
  std::string log() const { return state + "/daemon.log"; }
};
// The socket is that of the daemon that serves the state directory, if there is one: programs that
// an agent's client starts have HOME, but not the variables of the session.
// Code::usage when neither HOME nor XDG_STATE_HOME is set, or the socket's path is too long.
Result<DaemonPaths> places(const Environment& environment);

// Creates both directories where they are missing. Code::error when one belongs to another user, is
// open to others or is a symbolic link, since a user who can create files there could impersonate
// the cluster.
Status make_private(const DaemonPaths& places);

// The same check of the socket's directory, which may be missing; for clients.
Status check_socket_directory(const DaemonPaths& places);

enum class Reach { accepts, nobody, failed };
// Tries to connect. `nobody` means that there is no socket, or that none listens on it; `failed`
// sets errno.
Reach reach(const std::string& socket);

// The lock file, when it could be locked, else empty. Its content is kept.
Result<Descriptor> try_lock(const DaemonPaths& places);

// The lock holder's note in the file. A clean end leaves none.
struct Holder {
  int pid = 0;
  std::string socket;
  std::optional<ProcessMark> mark;  // nullopt when an older version wrote it
};
Holder read_holder(const DaemonPaths& places);
void write_holder(const Descriptor& lock, const Holder& holder);

// The error "cannot DO PATH: reason", from errno.
Error system_error(std::string_view doing, const std::string& path);

}  // namespace trainctl::local
