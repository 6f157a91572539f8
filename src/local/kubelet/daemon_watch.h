// Lets a guard watch the daemon: the guard starts a missing daemon, and gives up when none stays.
#pragma once

#include <ctime>

#include "local/kubelet/guard.h"

namespace trainctl::local {

class DaemonWatch {
 public:
  explicit DaemonWatch(const GuardOrder& order);
  // Call it often; it checks once a second. True once there has been no daemon for so long, and
  // after so many attempts to start one, that the container must be ended.
  bool is_lost();

 private:
  bool is_alive() const;
  void revive();

  const GuardOrder& order_;
  int lock_ = -1;    // the file that a living daemon keeps locked
  int turn_ = -1;    // locked by the guard that starts a daemon, so that a hundred guards do not
  time_t next_ = 0;  // monotonic seconds
  time_t absent_since_ = 0;  // 0 = there is a daemon now
  time_t next_attempt_ = 0;
  int attempts_ = 0;
};

}  // namespace trainctl::local
