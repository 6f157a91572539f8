// The user's choice of log lines; the same for every replica, and constant during a command.
#pragma once

#include <optional>
#include <string>

#include "base/text/time.h"

namespace trainctl::job {

struct LogOptions {
  bool follow = true;
  bool previous = false;
  bool insecure_backend = false;   // the API server need not believe the kubelet's certificate
  std::optional<Time> since = {};  // lines before it are omitted, to the nanosecond
  // Number of existing lines printed when the log is first read.
  std::optional<long> tail_lines = {};

  // Path of the embedded cluster that lists the job's removed pods, whose logs it keeps as long as
  // the job; "" = a cluster whose logs go with their pods.
  std::string kept_pods = {};

  bool outlives_pods() const { return !kept_pods.empty(); }
  // True when some of a log's last lines, so many, may not be printed.
  bool may_omit(long last_lines) const { return since || (tail_lines && *tail_lines < last_lines); }
};

}  // namespace trainctl::job
