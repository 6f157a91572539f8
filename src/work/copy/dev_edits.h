// Brings back or drops edits in the copy of the code that `dev` works in.
#pragma once

#include <string>

#include "work/access.h"
#include "work/code/pack.h"
#include "work/session/target.h"

namespace trainctl::work {

// Says whether edits in the copy are brought back when the job ends.
enum class SyncBack { ask, always, never };

struct DevCopy {
  const SentCode& sent;
  const Target& target;
  const std::string& directory;  // as typed
  SyncBack sync_back = SyncBack::ask;
};

// Tells the user about the copy, and what becomes of it.
std::string copy_notice(const Console& console, const DevCopy& copy);

// Before the job is deleted: copies back what changed, or asks, or warns of what is lost. An error
// means that edits are only in the copy, so that the job must stay. `may_ask`: the user may be
// asked, if there is a terminal.
Status save_edits(Access& access, const DevCopy& copy, bool may_ask);

}  // namespace trainctl::work
