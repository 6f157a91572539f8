// When a silent connection is asked for a sign of life, and when it is given up.
#pragma once

#include <functional>

#include "base/loop.h"

namespace trainctl::net {

// TCP finds a path dead when its packets are not acknowledged. A proxy or load balancer that
// acknowledges them and forwards nothing is found only by a question that has to be answered.
class LaneHeartbeat {
 public:
  struct Times {
    Duration silence;   // after so long a silence it is asked
    Duration patience;  // for an answer, or anything else that comes
  };
  struct Actions {
    std::function<void()> ask;
    // Ends the question. False when it was never sent, as on a connection that is full or leaving:
    // then its silence proves nothing.
    std::function<bool()> end_question;
    std::function<void()> give_up;  // the connection is dead; may call end()
  };
  LaneHeartbeat(Loop& loop, Times times, Actions actions);

  void begin();  // requests are under way from now on
  void end();    // the last one is over
  void heard();  // something has come

 private:
  void listen();
  void ask_if_silent();
  void judge();

  Loop& loop_;
  Times times_;
  Actions actions_;
  Time heard_at_{};
  bool unanswered_ = false;
  HandlePtr timer_;
};

}  // namespace trainctl::net
