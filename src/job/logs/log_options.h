// Which log lines the user asked for; the same for every replica, and constant during a command.
#pragma once

#include <optional>

#include "base/time.h"

namespace trainctl::job {

struct LogOptions {
  bool follow = true;
  bool previous = false;
  bool insecure_backend = false;   // the API server need not believe the kubelet's certificate
  std::optional<Time> since = {};  // lines before it are omitted, to the nanosecond
  // Number of existing lines printed when the log is first read.
  std::optional<long> tail_lines = {};

  // True when some of a log's last lines, so many, may not be printed.
  bool may_omit(long last_lines) const { return since || (tail_lines && *tail_lines < last_lines); }
};

}  // namespace trainctl::job
