// Judges whether the objects that a job's pods name exist. Pure.
#pragma once

#include <string>

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

}  // namespace trainctl::job
