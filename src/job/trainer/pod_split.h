// Splits a v1 pod template into the fields of a TrainJob's trainer, the fields it may patch, and
// the rest.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value/json.h"
#include "job/kind/kind.h"
#include "job/trainer/patch_field.h"

namespace trainctl::job {

struct PodSplit {
  Json trainer = Json::object();  // image, command, args, env, resourcesPerNode
  Json patch = Json::object();    // a pod template of the fields that Trainer lets a TrainJob patch
  Json rest = Json::object();     // a pod template of all others, which only a runtime can hold

  // The rest without what is of no use: a TrainJob that fails deletes its pods, so that nobody
  // reads the last words in their status.
  Json needed_rest() const;
  // The pod template that a runtime of the job's own holds.
  Json runtime_template() const;
};

// `replica` is an entry of the replica map; the training container becomes the container "node".
PodSplit split_pod(const Kind& kind, const Json& replica, const PatchRules& rules);

// Turns a command without arguments into `env PROGRAM`: a runtime's arguments follow a command that
// has none, and an empty list does not stop them (Kueue drops it). False if there was no need.
// Code::usage for a name that env would take for a variable or an option.
Result<bool> start_through_env(Json& trainer);

}  // namespace trainctl::job
