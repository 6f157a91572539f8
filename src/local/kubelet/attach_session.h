// Carries what a container's own program prints from now on, and what is written to its stdin.
#pragma once

#include <memory>
#include <string>

#include "local/kubelet/log_watcher.h"
#include "local/pod_streams.h"

namespace trainctl::local {

// The guard owns the program's output, so it is read from the log: all of it is stdout. `once` says
// that the program's stdin ends with the first session that writes to it.
std::unique_ptr<ApiSession> attach_session(UvLoop& loop, LogWatcher& watcher, std::string directory,
                                           StreamQuestion question, bool once);

}  // namespace trainctl::local
