// One deadline for everything that a command waits for, however long its parts take.
#pragma once

#include <optional>

#include "base/text/time.h"

namespace trainctl {

struct Deadline {
  Time at;
  Duration timeout;  // as the user gave it, for messages

  bool is_over(Time now) const { return now >= at; }
};

// Without a timeout there is no deadline. The longest one that parse_duration takes still makes a
// valid Time.
inline std::optional<Deadline> deadline_after(std::optional<Duration> timeout, Time begin) {
  if (!timeout) return std::nullopt;
  return Deadline{begin + *timeout, *timeout};
}

}  // namespace trainctl
