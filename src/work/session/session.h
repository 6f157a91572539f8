// A session with one remote process: stdin, stdout and terminal of this program become its own.
#pragma once

#include <string>
#include <string_view>

#include "base/console/console.h"
#include "base/text/terminal_text.h"
#include "kube/stream/remote_process.h"
#include "work/access.h"

namespace trainctl::work {

// True when stdout gets the bytes as they are: a program or a file takes them. A terminal, or a CI
// system that reads stdout, interprets them.
bool is_exact(const Console& console);

class ShownText {
 public:
  // `whole_lines`: a CI system reads them, and only a whole line shows whether it is a command.
  explicit ShownText(bool whole_lines = false) : whole_lines_(whole_lines) {}

  // Adds the bytes, and returns the part that is complete.
  std::string take(std::string_view bytes);
  // Returns the text that was held back and will not be completed.
  std::string rest();

 private:
  bool whole_lines_;
  std::string held_;
};

// Runs until the process ends or a signal comes; top-level code. The status of a process that ended
// with a code other than 0 has that code and no message. With `hands_over`, the process gets our
// terminal, which is raw during the session and always restored afterwards. Without, bytes pass
// unchanged in both directions, except that control sequences are made harmless in output that a
// terminal shows.
Status run_session(Access& access, const kube::RemoteQuery& query, bool hands_over);

// The status of a process: its exit code, or the node's message in the user's terms.
Status status_of(const kube::RemoteEnd& end, const kube::RemoteQuery& query);

}  // namespace trainctl::work
