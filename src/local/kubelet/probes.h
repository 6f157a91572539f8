// Runs the startup, readiness and liveness probes of a container: commands in its namespaces.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/loop/loop.h"
#include "base/value/json.h"

namespace trainctl::local {

class Probes {
 public:
  virtual ~Probes() = default;
  virtual bool has_started() const = 0;  // no startup probe, or it has passed
  virtual bool is_ready() const = 0;     // started, and no readiness probe or it passes
  // "liveness" or "startup" once the container must be restarted because of it; else "".
  virtual std::string failed() const = 0;
};

struct Probed {
  pid_t program = 0;  // probe commands run in its namespaces
  Environment environment;
  // Receives "Liveness probe failed: …".
  std::function<void(std::string_view message)> unhealthy;
  std::function<void()> changed;  // a result above may have changed
};
// nullptr when the container has no probe that can be run here (only exec ones can).
std::unique_ptr<Probes> make_probes(Loop& loop, const Json& container, Probed probed);

}  // namespace trainctl::local
