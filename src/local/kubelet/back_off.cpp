// Implements the kubelet's crash loop back-off.
#include "local/kubelet/back_off.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

constexpr Duration k_first_pause = std::chrono::seconds(10);
constexpr Duration k_longest_pause = std::chrono::minutes(5);
constexpr Duration k_healthy = std::chrono::minutes(10);

}  // namespace

Duration pause_after(int restarts) {
  Duration pause{};
  for (int i = 0; i < restarts && pause < k_longest_pause; ++i)
    pause = next_pause(pause, {}, Time{});
  return pause;
}

Duration next_pause(Duration pause, std::optional<Time> set, Time ended) {
  if (pause == Duration::zero() || (set && ended - *set > k_healthy)) return k_first_pause;
  return std::min(2 * pause, k_longest_pause);
}

std::string go_duration(Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  return seconds < 60 ? cat(seconds, "s") : cat(seconds / 60, "m", seconds % 60, "s");
}

}  // namespace trainctl::local
