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

}  // namespace trainctl::net
