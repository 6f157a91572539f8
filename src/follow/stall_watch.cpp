// One timer runs at a time; a line only notes when it came, since jobs print thousands a second.
#include "follow/stall_watch.h"

#include <utility>

namespace trainctl::job {

void StallWatch::on_output() {
  last_ = loop_.now();
  go_on();
}

void StallWatch::go_on() {
  if (std::exchange(is_told_, false) && counts()) wait(*after_);
}

std::optional<Duration> StallWatch::stalled() const {
  return is_told_ && counts() ? std::optional(loop_.now() - last_) : std::nullopt;
}

void StallWatch::set(bool& fact, bool value) {
  const bool counted = counts();
  fact = value;
  if (!counts()) return timer_.reset();
  if (counted || is_told_ || !after_) return;
  last_ = loop_.now();
  wait(*after_);
}

void StallWatch::wait(Duration left) {
  timer_ = loop_.after(left, [this] { expire(); });
}

void StallWatch::expire() {
  const Duration silent = loop_.now() - last_;
  if (silent < *after_) return wait(*after_ - silent);
  is_told_ = true;
  on_stall_();
}

}  // namespace trainctl::job
