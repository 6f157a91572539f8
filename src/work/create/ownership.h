// Makes a job an owner of an object that it needs, so that the object goes with its last owner.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "job/manifest/companions.h"
#include "work/access.h"

namespace trainctl::work {

// Adds `reference` (kube::owner_reference) to the owners of `there`, even if others change its
// owners meanwhile; repeats unanswered requests for 30 s. `make_again` creates the object with that
// owner where it has gone with its last one; unset: that is an error.
Status become_owner(Access& access, kube::Client& client, const std::string& ns,
                    const job::Companion& companion, Json there, const Json& reference,
                    const std::function<Status()>& make_again = {});

}  // namespace trainctl::work
