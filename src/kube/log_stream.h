// One request for a container's log, as lines with their time stamps.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client.h"

namespace trainctl::kube {

struct LogQuery {
  std::string ns, pod, container;
  bool follow = false;
  bool previous = false;
  std::optional<Time> since;  // the server rounds down to the second; the reader filters
  std::optional<long> tail_lines;
};

struct LogLine {
  std::optional<Time>
      stamp;  // absent: a line that began before the stream did, or a node's message
  std::string_view stamp_text;  // as the server wrote it, without the blank; "" when absent
  std::string_view text;        // without stamp and newline; raw bytes
  bool complete = true;  // false: the last bytes of the stream had no newline, or the line is
                         // longer than 1 MiB and goes on in the next LogLine
};

struct LogHandlers {
  std::function<void()> on_open;  // the server answered 200
  std::function<void(const LogLine&)> on_line;
  // The answer ended. `failure` is set for errors; a clean end proves nothing: the kubelet may have
  // died, the connection may have been cut between API server and node.
  std::function<void(std::optional<Failure>)> on_end;
};

// GET …/pods/POD/log with timestamps=true. A 204 (pod not scheduled) ends cleanly without on_open.
// Error text that the kubelet glues before the first line (fsnotify) is split off as a line
// without stamp.
[[nodiscard]] HandlePtr open_log(Client& client, const LogQuery& query, LogHandlers handlers);

}  // namespace trainctl::kube
