// Decides when a silent connection is probed, and when it is given up.
#pragma once

#include <functional>

#include "base/loop/loop.h"

namespace trainctl::net {

// TCP detects a dead path when packets are not acknowledged. A proxy or load balancer that
// acknowledges packets and forwards nothing is detected only by a request that must be answered.
class LaneHeartbeat {
 public:
  struct Times {
    Duration silence;   // how long it may be silent before it is probed
    Duration patience;  // how long to wait for an answer or any other data
  };
  struct Actions {
    std::function<void()> ask;
    // Ends the probe. Returns false when it was never sent, as on a connection that is full or
    // closing: then its silence proves nothing.
    std::function<bool()> end_question;
    std::function<void()> give_up;  // the connection is dead; may call end()
  };
  LaneHeartbeat(Loop& loop, Times times, Actions actions);

  void begin();  // a first request has started
  void end();    // the last request has ended
  void heard();  // data has arrived

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
