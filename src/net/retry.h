// Decides which failures of a unary call are worth another attempt, and after how long.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/http.h"

namespace trainctl::net {

// The Retry-After of an answer in seconds, at most a day; nullopt if it is a date or missing.
std::optional<Duration> retry_after(const ResponseHead& head);

struct RetryPolicy {
  int attempts = 8;                            // in total, including the first
  Duration budget = std::chrono::seconds(30);  // no attempt starts later than this
};

// A Transport that passes requests on to another one and repeats failed ones of the control lane:
// - 429 and 5xx with an integer Retry-After: after exactly that long; of a POST only 429 and 503,
//   which say that nothing was done (a gateway's 504 may come after the object was made);
// - 429, 502, 503, 504 without it, and a refused, reset or unresolvable connection: only GET,
//   with 0.5 s doubling to 8 s, spread by up to 20 %, unless the transport below names the pause;
//   a request that never left this machine, whatever its method. A request whose own timeout is
//   shorter than the budget waits for at most a quarter of what is left, or 0.5 s. A 500, and a
//   server that has never answered, get fewer attempts: four.
// A POST whose answer was lost is not repeated here; the caller must read back first. Watches and
// streams (timeout 0), and requests with owner_retries, pass through unchanged: their owners resume
// them. `on_wait` gets the reason of each wait once ("server busy (429)"), and its length.
using OnRetryWait = std::function<void(const std::string& reason, Duration wait)>;
std::unique_ptr<Transport> make_retry(Loop& loop, std::unique_ptr<Transport> inner,
                                      RetryPolicy policy, OnRetryWait on_wait);

}  // namespace trainctl::net
