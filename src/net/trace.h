// Prints the traffic for --verbose, without secrets.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/http.h"

namespace trainctl::net {

// Prints a line per request and answer ("GET /api/v1/… 200 12 ms") and its headers, with the values
// of Authorization, cookies and proxy credentials masked. Bodies are never shown.
std::unique_ptr<Transport> make_trace(Loop& loop, std::unique_ptr<Transport> inner,
                                      std::function<void(std::string)> print);

// Reports that an answer is slow, so that a waiting user sees why. A Transport that passes
// everything on to another one, and calls `notice` when a call has not been answered completely
// after two seconds, with the name of `server`. It does so once, until a call is answered faster
// again. Watches and streams (timeout 0) may be silent for any time.
std::unique_ptr<Transport> make_slow_request_notice(Loop& loop, std::unique_ptr<Transport> inner,
                                                    std::string server,
                                                    std::function<void(std::string)> notice);

}  // namespace trainctl::net
