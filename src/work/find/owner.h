// Says who submitted a job.
#pragma once

#include <string>

#include "base/value/json.h"

namespace trainctl::work {

// Returns the user's name as a label value. Jobs made from a template have it as a label, which a
// selector finds; jobs from the user's own file have it as an annotation, since their labels are
// the user's. "" = unknown.
std::string owner_of(const Json& job);

// Adds the annotation with the user's name. Returns the job unchanged when it names its owner
// already, or `user` is "".
Json with_owner(Json job, const std::string& user);

}  // namespace trainctl::work
