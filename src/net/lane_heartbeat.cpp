// Uses one timer, which expires at the end of the silence, then at the end of the patience.
#include "net/lane_heartbeat.h"

#include <algorithm>
#include <utility>

namespace trainctl::net {

LaneHeartbeat::LaneHeartbeat(Loop& loop, Times times, Actions actions)
    : loop_(loop), times_(times), actions_(std::move(actions)) {}

void LaneHeartbeat::begin() {
  heard();
  listen();
}

void LaneHeartbeat::end() {
  timer_.reset();
}

// Data arrives often on a busy connection, so the timer is not restarted each time.
void LaneHeartbeat::heard() {
  heard_at_ = loop_.now();
  unanswered_ = false;
}

void LaneHeartbeat::listen() {
  const Time now = loop_.now();
  heard_at_ = std::min(heard_at_, now);  // the clock may have been set back
  timer_ = loop_.after(heard_at_ + times_.silence - now, [this] { ask_if_silent(); });
}

void LaneHeartbeat::ask_if_silent() {
  if (loop_.now() - heard_at_ < times_.silence) return listen();
  unanswered_ = true;
  actions_.ask();
  // After a program was stopped for a while, the timer expires with the answer still unread, so the
  // sockets are read once more before the connection is judged.
  constexpr Duration k_turn = std::chrono::milliseconds(5);
  timer_ =
      loop_.after(times_.patience, [this] { timer_ = loop_.after(k_turn, [this] { judge(); }); });
}

void LaneHeartbeat::judge() {
  const bool was_sent = actions_.end_question();
  if (!unanswered_) return listen();
  if (!was_sent) return begin();
  actions_.give_up();
}

}  // namespace trainctl::net
