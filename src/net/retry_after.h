// Reads how long a server asks to be left alone.
#pragma once

#include <optional>

#include "net/http.h"

namespace trainctl::net {

// The Retry-After of an answer in seconds, at most a day; nullopt if it is a date or missing.
std::optional<Duration> retry_after(const ResponseHead& head);

}  // namespace trainctl::net
