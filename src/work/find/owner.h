// Says who submitted a job.
#pragma once

#include <string>

#include "base/value/json.h"

namespace trainctl::work {

// The user's name as a label value: the label of jobs made from a template, which a selector finds,
// or the annotation of those from the user's own file, whose labels are the user's; "" = nobody
// says.
std::string owner_of(const Json& job);

// The job with that annotation, unless it says already whose it is, or `user` is "".
Json with_owner(Json job, const std::string& user);

}  // namespace trainctl::work
