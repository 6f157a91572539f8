// Makes a TrainingRuntime for a job with fields that only a runtime can have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/value/json.h"
#include "job/trainer/framework.h"
#include "job/trainer/launcher.h"
#include "job/trainer/pod_split.h"

namespace trainctl::job {

// Rules for the end of a replica and of the job. The defaults are those of Trainer's bundled
// runtimes: the Job controller's OnFailure with six retries, and no clean-up.
struct Lifecycle {
  std::string restart_policy = "OnFailure";  // or "Never"
  std::int64_t backoff_limit = 6;
  std::optional<std::int64_t> ttl;  // seconds

  bool is_default() const { return restart_policy == "OnFailure" && backoff_limit == 6 && !ttl; }
};

struct RuntimeInput {
  const Framework& framework;
  const World& world;
  const Lifecycle& lifecycle;
  const PodSplit& pod;            // runs the user's program
  const std::optional<Ssh>& ssh;  // nullopt: the nodes all run it
};

// True when a bundled runtime with patches is not enough.
bool needs_own_runtime(const RuntimeInput& input);

// A TrainingRuntime with this name, in this namespace ("" = the user's).
Json make_runtime(const RuntimeInput& input, const std::string& name, const std::string& ns);

}  // namespace trainctl::job
