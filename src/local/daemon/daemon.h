// The process of the embedded cluster: store, API server, operator and kubelet on one loop.
#pragma once

#include <functional>
#include <string>

#include "base/environment.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/time.h"
#include "local/daemon/places.h"

namespace trainctl::local {

struct ServeOptions {
  Duration idle = std::chrono::minutes(10);  // ends after so long without requests and containers;
                                             // 0 = never
  int gpus = -1;                             // -1 = those present
  int ready_fd = -1;  // told k_ready once it serves, or why it cannot; then closed
  std::function<void(const std::string&)> log = [](const std::string&) {};  // one line each
};
inline constexpr std::string_view k_ready = "ready\n";

// Serves until it is idle, told to end (SIGTERM, SIGINT: containers end, too) or told that another
// daemon has the lock (which is a success: it serves). Makes the places it needs.
Status serve(UvLoop& loop, const Environment& environment, const ServeOptions& options,
             const std::string& program);

}  // namespace trainctl::local
