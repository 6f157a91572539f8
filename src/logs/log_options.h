// The user's choice of log lines; the same for every replica, and constant during a command.
#pragma once

#include <optional>
#include <string>

#include "base/text/time.h"

namespace trainctl::job {

struct LogOptions {
  bool follow = true;
  bool previous = false;
  bool insecure_backend = false;   // the API server need not verify the kubelet's certificate
  std::optional<Time> since = {};  // lines before it are omitted, to the nanosecond
  bool since_by_node = false;      // `since` is some time ago, which the node's clock measures
  // Number of existing lines printed when the log is first read.
  std::optional<long> tail_lines = {};

  // API path that lists the job's removed pods on the embedded cluster, which keeps their logs as
  // long as the job; "" = the cluster deletes logs with their pods.
  std::string kept_pods = {};

  bool outlives_pods() const { return !kept_pods.empty(); }
  // True when the options might leave out some of a log's last `last_lines` lines.
  bool may_omit(long last_lines) const { return since || (tail_lines && *tail_lines < last_lines); }
};

}  // namespace trainctl::job
