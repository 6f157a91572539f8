// The embedded cluster's process: store, API server, operator and kubelet on one loop.
#pragma once

#include <functional>
#include <string>

#include "base/environment.h"
#include "base/loop/loop.h"
#include "base/result.h"
#include "base/text/time.h"
#include "local/daemon/places.h"

namespace trainctl::local {

// The environment that every container of the embedded cluster gets, in addition to its job's.
// Returns the variables of the daemon's environment that belong to the user and the machine, not to
// the terminal or the job that happened to start the daemon.
Environment base_environment(const Environment& daemon);

struct ServeOptions {
  // The daemon ends after this long without requests and containers; 0 = never.
  Duration idle = std::chrono::minutes(10);
  int gpus = -1;        // -1 = the devices present
  long log_limit = -1;  // MiB of logs for each job; -1 = the default
  int ready_fd = -1;    // gets k_ready, or the reason for a failed start; then closed
  std::function<void(const std::string&)> log = [](const std::string&) {};  // one line each
};
inline constexpr std::string_view k_ready = "ready\n";

// Serves until it is idle, receives SIGTERM or SIGINT (containers end, too), or finds that another
// daemon has the lock (which is a success: that one serves). Creates the directories it needs.
Status serve(UvLoop& loop, const Environment& environment, const ServeOptions& options,
             const std::string& program);

}  // namespace trainctl::local
