// Judges whether the objects that a job's pods name exist, and can be mounted. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "job/manifest/needed_objects.h"
#include "job/preflight/finding.h"

namespace trainctl::job {

// A command that creates the object, or an instruction.
std::string remedy_for_missing(const NeededObject& needed, const std::string& ns);

Findings judge_missing(const NeededObject& needed, const std::string& ns);

// Judges an object that exists: a config map or secret must have each key that a pod names. Does
// not read the values.
Findings judge_present(const NeededObject& needed, const Json& object);

// Judges whether pods can mount a PersistentVolumeClaim. Pure.

// The number of replicas that mount the claim.
int mounts_of(const std::vector<PredictedPod>& pods, const std::string& claim);

// `storage_classes`: those of the cluster; null when the user may not list them.
Findings judge_claim(const Json& claim, int mounts, const std::vector<Json>* storage_classes);

// Judges an existing claim that has the name of one to be created for this job alone. It fails,
// unless an earlier job of the same kind and name owns it: that claim is deleted with that job.
Findings judge_own_claim(const Json& claim, const Kind& kind, std::string_view job);

}  // namespace trainctl::job
