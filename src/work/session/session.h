// A session with one remote process: stdin, stdout and terminal of this program become its own.
#pragma once

#include "kube/stream/remote_process.h"
#include "work/access.h"

namespace trainctl::work {

// Runs until the process ends or a signal comes; top-level code. The status of a process that ended
// with a code other than 0 has that code and no message. With a terminal, ours is raw during the
// session and always restored afterwards. Without one, bytes pass unchanged in both directions,
// except that control sequences are made harmless in output that a terminal shows.
Status run_session(Access& access, const kube::RemoteQuery& query);

// The status of a process: its exit code, or the node's message in the user's terms.
Status status_of(const kube::RemoteEnd& end, const kube::RemoteQuery& query);

}  // namespace trainctl::work
