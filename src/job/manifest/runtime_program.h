// The program of a job whose pods are described by a runtime, and not by the job itself.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value/json.h"
#include "job/kind/kind.h"

namespace trainctl::job {

// Such a job has its program here: image, command, args and env, as in a container.
inline constexpr std::string_view k_runtime_program = "/spec/trainer";

// True for kinds whose jobs have no templates of pods.
bool runs_by_runtime(const Kind& kind);
// "2 pods (node 2), 4 GPUs, runtime torch-distributed"
std::string runtime_footprint(const Kind& kind, const Json& job);
// Refuses jobs that the controller would accept but never run, or refuse with a message that names
// no field.
Status check_runtime_program(const Kind& kind, const Json& job);

}  // namespace trainctl::job
