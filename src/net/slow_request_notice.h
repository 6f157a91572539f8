// Says that an answer is long in coming: nobody shall look at a silent command.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "net/http.h"

namespace trainctl::net {

// A Transport that passes everything on to another one, and calls `notice` when a call has been
// without its whole answer for two seconds; once, until a call is answered sooner again. Watches
// and streams (timeout 0) may be silent for as long as they like.
std::unique_ptr<Transport> make_slow_request_notice(Loop& loop, std::unique_ptr<Transport> inner,
                                                    std::function<void(std::string)> notice);

}  // namespace trainctl::net
