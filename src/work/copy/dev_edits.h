// What becomes of edits in the copy of the code that `dev` works in.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/options/choices.h"
#include "work/code/pack.h"
#include "work/session/target.h"

namespace trainctl::cli {

struct DevCopy {
  const work::SentCode& sent;
  const work::Target& target;
  const std::string& directory;  // as typed
  SyncBack sync_back = SyncBack::ask;
};

// Says that there is a copy, and what becomes of it.
void tell_of_copy(Context& context, const DevCopy& copy);

// Before the job is deleted: copies back what changed, or asks, or warns of what is lost. An error
// means that edits are only in the copy, so that the job must stay. `may_ask`: the user is there.
Status save_edits(Context& context, const DevCopy& copy, bool may_ask);

}  // namespace trainctl::cli
