// One request for a container's log, as lines with their time stamps.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client/client.h"
#include "kube/stream/log_lines.h"

namespace trainctl::kube {

struct LogQuery {
  std::string ns, pod, container;
  bool follow = false;
  bool previous = false;
  std::optional<Time> since;  // the server rounds down to the second; the reader filters
  std::optional<long> since_seconds = {};  // instead: so long ago by the node's clock
  std::optional<long> tail_lines;
  std::optional<long> limit_bytes;  // including the stamps; may end within a line
  bool insecure_backend = false;    // the API server need not verify the kubelet's certificate
  // Embedded cluster only: the log of exactly this pod, even if another has its name by now, and of
  // exactly this run, even if later ones exist.
  std::string pod_uid = {}, container_id = {};
};

struct LogHandlers {
  std::function<void()> on_open;  // the server answered 200
  std::function<void(const LogLine&)> on_line;
  // The answer ended. `failure` is set for errors. A clean end proves nothing: the kubelet may have
  // died, or the connection between API server and node may have been cut.
  std::function<void(std::optional<Failure>)> on_end;
  // The current line has grown. Reports its last state, as left by a progress bar that begins anew
  // at each carriage return. The line itself is reported when it has ended.
  std::function<void(std::string_view state)> on_progress = {};
};

// Sends GET …/pods/POD/log with timestamps=true. A 204 (pod not scheduled) ends cleanly without
// on_open. An error message that the kubelet writes directly before the first line (fsnotify) is
// split off as a line without stamp.
[[nodiscard]] HandlePtr open_log(Client& client, const LogQuery& query, LogHandlers handlers);

}  // namespace trainctl::kube
