// Chooses a job when a read-only command was given no name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "work/access.h"

namespace trainctl::work {

// Returns the user's name as a label value. Jobs made from a template have it as a label, which a
// selector finds; jobs from the user's own file have it as an annotation, since their labels are
// the user's. "" = unknown.
std::string owner_of(const Json& job);

// Adds the annotation with the user's name. Returns the job unchanged when it names its owner
// already, or `user` is "".
Json with_owner(Json job, const std::string& user);

// Returns `names` unchanged. When empty: the namespace's only job, else the newest of those that
// this user submitted, or the array whose jobs are equally new, which is announced on stderr.
// Code::usage with some names when there are several and none is this user's, or several of this
// user's are equally new; Code::not_found when there are none. Not for commands that change
// anything.
Result<std::vector<std::string>> jobs_or_newest(Access& access,
                                                const std::vector<std::string>& names,
                                                const job::Kind* kind);

}  // namespace trainctl::work
