// Where a user's embedded cluster keeps its files, and that nobody else can reach them.
#pragma once

#include <optional>
#include <string>

#include "base/environment.h"
#include "base/result.h"
#include "local/descriptor.h"
#include "local/kubelet/process_mark.h"

namespace trainctl::local {

// The socket's directory is private (0700, owned by us): the run-time directory of the session,
// else one below the temporary directory.
struct Places {
  std::string state;   // $XDG_STATE_HOME/trainctl/local, else ~/.local/state/trainctl/local
  std::string socket;  // $XDG_RUNTIME_DIR/trainctl/local.sock
  std::string lock() const { return state + "/daemon.lock"; }
  std::string database() const { return state + "/cluster.db"; }
  std::string log() const { return state + "/daemon.log"; }
};
// Code::usage when neither HOME nor XDG_STATE_HOME is set, or the socket's path is too long.
Result<Places> places(const Environment& environment);

// Makes both directories where they are missing. Code::error when one belongs to somebody else, is
// open to others or a symbolic link: whoever can put files there could pose as the cluster.
Status make_private(const Places& places);

// The same question about the socket's directory, which may be missing: for clients.
Status check_socket_directory(const Places& places);

enum class Reach { accepts, nobody, failed };
// Tries to connect. `nobody`: no socket, or one that nobody listens on; `failed` sets errno.
Reach reach(const std::string& socket);

// The open file when its lock could be had, else empty. What stands in it stays.
Result<Descriptor> try_lock(const Places& places);

// What the holder of the lock has written into it. An orderly end leaves nothing.
struct Holder {
  int pid = 0;
  std::string socket;
  std::optional<ProcessMark> mark;  // of older versions: nullopt
};
Holder read_holder(const Places& places);
void write_holder(const Descriptor& lock, const Holder& holder);

// "cannot DO PATH: reason", by errno.
Error system_error(std::string_view doing, const std::string& path);

}  // namespace trainctl::local
