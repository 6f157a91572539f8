// The form that Kubernetes writes: whole seconds (RFC 9110, section 10.2.3, has dates as well).
#include "net/retry_after.h"

#include "base/text/number.h"

namespace trainctl::net {

std::optional<Duration> retry_after(const ResponseHead& head) {
  constexpr long k_longest_seconds = 86'400;
  const auto seconds = parse_number<long>(head.header("Retry-After"));
  if (!seconds || *seconds < 0 || *seconds > k_longest_seconds) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

}  // namespace trainctl::net
