// Answers requests about the API itself: /version, /api, /apis, resource lists, and reviews of the
// own rights.
#pragma once

#include <optional>

#include "local/answer.h"

namespace trainctl::local {

// nullopt when the request is none of these.
std::optional<ApiAnswer> discover(const ApiRequest& request);

}  // namespace trainctl::local
