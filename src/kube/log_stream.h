// One request for a container's log, as lines with their time stamps.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client.h"
#include "kube/log_lines.h"

namespace trainctl::kube {

struct LogQuery {
  std::string ns, pod, container;
  bool follow = false;
  bool previous = false;
  std::optional<Time> since;  // the server rounds down to the second; the reader filters
  std::optional<long> tail_lines;
  std::optional<long> limit_bytes;  // the stamps included; may end within a line
  bool insecure_backend = false;    // the API server need not believe the kubelet's certificate
};

struct LogHandlers {
  std::function<void()> on_open;  // the server answered 200
  std::function<void(const LogLine&)> on_line;
  // The answer ended. `failure` is set for errors; a clean end proves nothing: the kubelet may have
  // died, the connection may have been cut between API server and node.
  std::function<void(std::optional<Failure>)> on_end;
  // The line under way has grown: its last state, as a progress bar leaves it that begins anew at
  // each carriage return. It comes as a line when it has ended.
  std::function<void(std::string_view state)> on_progress = {};
};

// GET …/pods/POD/log with timestamps=true. A 204 (pod not scheduled) ends cleanly without on_open.
// Error text that the kubelet glues before the first line (fsnotify) is split off as a line
// without stamp.
[[nodiscard]] HandlePtr open_log(Client& client, const LogQuery& query, LogHandlers handlers);

}  // namespace trainctl::kube
