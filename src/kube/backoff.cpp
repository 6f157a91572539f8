// Exponential, without chance: the server's watch timeouts already spread clients.
#include "kube/backoff.h"

#include <algorithm>

namespace trainctl::kube {

namespace {

constexpr Duration k_first = std::chrono::milliseconds(500);
constexpr int k_doublings = 4;  // to 8 s

}  // namespace

Duration Backoff::next_delay() {
  const int doublings = std::min(failures_, k_doublings);
  ++failures_;
  return k_first * (1 << doublings);
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

}  // namespace trainctl::kube
