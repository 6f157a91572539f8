// Exponential and without randomness; many clients at once are spread by their order of arrival.
#include "kube/client/backoff.h"

#include <algorithm>
#include <cmath>

namespace trainctl::kube {
namespace {

constexpr Duration k_first_delay = std::chrono::milliseconds(500);
constexpr int k_doublings = 4;  // from 0.5 s to 8 s

// Failures within it count as simultaneous.
constexpr Duration k_same_moment = std::chrono::seconds(1);
constexpr int k_few_at_once = 10;
constexpr Duration k_spread_over = std::chrono::seconds(2);
// Multiples of the golden ratio's fractional part fill a span evenly, however many there are.
constexpr double k_golden = 0.6180339887498949;

}  // namespace

Duration Backoff::next_delay() {
  const int doublings = std::min(failures_, k_doublings);
  ++failures_;
  return k_first_delay * (1 << doublings);
}

Duration Backoff::delay_after_first() {
  const bool first = failures_ == 0;
  const Duration delay = next_delay();
  return first ? Duration{} : delay;
}

std::optional<Duration> Backoff::delay_in_trouble(Time now, std::optional<Duration> wish) {
  if (!since_) since_ = now;
  const Duration own = next_delay();
  const Duration delay = wish.value_or(own);
  if (now + delay > *since_ + patience_) return std::nullopt;
  return delay;
}

void Backoff::recovered() {
  failures_ = 0;
  since_.reset();
}

Duration Spread::next(Time now) {
  if (now - since_ >= k_same_moment) {
    since_ = now;
    count_ = 0;
  }
  if (++count_ <= k_few_at_once) return {};
  // The start differs between clients that were cut off at the same moment.
  const auto begin = static_cast<double>(since_.time_since_epoch().count() % 1000) / 1000;
  const double part = std::fmod(begin + count_ * k_golden, 1.0);
  return std::chrono::duration_cast<Duration>(k_spread_over * part);
}

namespace {

constexpr Duration k_denial_patience = std::chrono::seconds(60);

}  // namespace

void AuthGrace::accepted() {
  known_ = true;
  since_.reset();
}

bool AuthGrace::may_pass(const Refusal& refusal, Time now) {
  if (!known_ || (refusal.status != 401 && refusal.status != 403)) return false;
  if (!since_) since_ = now;
  return now - *since_ < k_denial_patience;
}

}  // namespace trainctl::kube
