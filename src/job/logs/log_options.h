// What a user asks of logs; the same for every replica, and never changed on the way.
#pragma once

#include <optional>

#include "base/time.h"

namespace trainctl::job {

struct LogOptions {
  bool follow = true;
  bool previous = false;
  bool insecure_backend = false;        // the API server need not believe the kubelet's certificate
  std::optional<Time> since = {};       // lines before it are left out, to the nanosecond
  std::optional<long> tail_lines = {};  // the last ones there are when the log is first seen
};

}  // namespace trainctl::job
