// Whether the objects that a job's pods name are there. Pure.
#pragma once

#include <string>

#include "base/value/json.h"
#include "job/manifest/needed_objects.h"
#include "job/preflight/finding.h"

namespace trainctl::job {

// A command that makes the object, or an imperative.
std::string remedy_for_missing(const NeededObject& needed, const std::string& ns);

Findings judge_missing(const NeededObject& needed, const std::string& ns);

// An object that is there: a config map or secret lacks no key that a pod names. Values of its data
// are not looked at.
Findings judge_present(const NeededObject& needed, const Json& object);

}  // namespace trainctl::job
