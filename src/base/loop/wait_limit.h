// Ends every wait of a command at its --timeout, or when a signal asks the command to end.
#pragma once

#include <functional>
#include <optional>

#include "base/loop/loop.h"
#include "base/result.h"
#include "base/text/time.h"

namespace trainctl {

// One deadline for everything that a command waits for, however long its parts take.
struct Deadline {
  Time at;
  Duration timeout;  // as the user gave it, for messages

  bool is_over(Time now) const { return now >= at; }
  // A timeout of zero sets no limit of time, so that one look gets its answer.
  bool looks_once() const { return timeout == Duration{}; }
};

// Code::timeout, with a longer --timeout as the hint.
Error timed_out(const Deadline& deadline);

// The longest timeout that parse_duration takes still makes a valid Time.
inline Deadline deadline_after(Duration timeout, Time begin) {
  return {begin + timeout, timeout};
}

// Once reached, the limit stays reached. A signal that is pending already reaches it at once.
class WaitLimit {
 public:
  WaitLimit(Loop& loop, const std::optional<Deadline>& deadline);
  // The same limit as `outer` (nullptr: none), but a signal that comes from now on ends the waits
  // `grace` later, and a second one at once.
  WaitLimit(Loop& loop, const WaitLimit* outer, Duration grace);
  WaitLimit(const WaitLimit&) = delete;
  WaitLimit& operator=(const WaitLimit&) = delete;

  // Runs the loop until done() is true: ok; or until the limit is reached: Code::timeout, or the
  // code of the signal.
  Status run_until(const std::function<bool()>& done);
  // The error of run_until from now on; nullopt while the limit is not reached.
  const std::optional<Error>& reached() const { return reached_; }

 private:
  void reach(Error error);
  void begin(Duration grace);

  Loop& loop_;
  std::optional<Deadline> deadline_;
  std::optional<Error> reached_;
  HandlePtr timer_, grace_timer_, signals_;
};

}  // namespace trainctl
