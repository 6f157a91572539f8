// Ends every wait of a command at its --timeout, or when a signal asks the command to end.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/loop/deadline.h"
#include "base/loop/loop.h"
#include "base/result.h"

namespace trainctl {

// A timeout of zero sets no limit of time, so that one look gets its answer. Once reached, the
// limit stays reached. While it lives, the signals do not kill the process.
class WaitLimit {
 public:
  WaitLimit(Loop& loop, const std::optional<Deadline>& deadline);
  WaitLimit(const WaitLimit&) = delete;
  WaitLimit& operator=(const WaitLimit&) = delete;

  // Runs the loop until done() is true: ok; or until the limit is reached: Code::timeout, or the
  // code of the signal.
  Status run_until(const std::function<bool()>& done);
  // The error of run_until from now on; nullopt while the limit is not reached.
  const std::optional<Error>& reached() const { return reached_; }

 private:
  void reach(Error error);

  Loop& loop_;
  std::optional<Error> reached_;
  HandlePtr timer_;
  std::vector<HandlePtr> signals_;
};

}  // namespace trainctl
