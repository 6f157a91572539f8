// A program that a client runs in a running container, and its streams.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop/loop.h"
#include "local/answer.h"
#include "local/kubelet/log_reader.h"
#include "local/pod_requests.h"

namespace trainctl::local {

// The protocol decides the words, because a real server of v5 has them from another place.
std::string exit_words(int code, std::string_view protocol,
                       const std::vector<std::string>& command);

// A session that reports the fault and ends at once.
std::unique_ptr<ApiSession> refused_session(std::string_view why);

// `directory` is that of the running attempt. When the client goes away, the program's stdin ends
// and nobody reads its output any more; on a terminal it is hung up. It continues if it can.
std::unique_ptr<ApiSession> exec_session(UvLoop& loop, std::string directory,
                                         StreamQuestion question);

// Carries what a container's own program prints from now on, and what is written to its stdin. The
// guard owns the program's output, so it is read from the log: all of it is stdout. `once` says
// that the program's stdin ends with the first session that writes to it.
std::unique_ptr<ApiSession> attach_session(UvLoop& loop, LogWatcher& watcher, std::string directory,
                                           StreamQuestion question, bool once);

}  // namespace trainctl::local
