// Marks the manifest of one of several attempts of a job (--retry), so that its program can tell
// which one it is and where the one before has written. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

// In the environment of the training containers: the number of the attempt, from 1.
inline constexpr std::string_view k_attempt_variable = "TRAINCTL_ATTEMPT";
// From the second attempt on, where the container mounts a volume that outlives its pod: the path
// of the first one that may be written, where the attempt before has left its checkpoints.
inline constexpr std::string_view k_resume_variable = "TRAINCTL_RESUME_FROM";

// `attempt` counts from 1. Replaces the marks of another attempt.
void mark_attempt(const Kind& kind, Json& manifest, int attempt);
// Removes both variables: the job is not one of several attempts.
void unmark_attempt(const Kind& kind, Json& manifest);

// True when the cluster restarts a failed replica before it counts the job as failed.
bool restarts_itself(const Kind& kind, const Json& manifest);

// Keeps all pods of the job off this node, in addition to the manifest's own rules for nodes.
void avoid_node(const Kind& kind, Json& manifest, const std::string& node);

}  // namespace trainctl::job
