// Answers requests about the API itself: /api, /apis, group and resource lists, /version, OpenAPI.
#pragma once

#include <optional>
#include <string_view>

#include "local/answer.h"

namespace trainctl::local {

// nullopt when the path is none of these. `accept` selects aggregated discovery when kubectl
// requests it.
std::optional<ApiAnswer> discover(std::string_view path, std::string_view accept);

}  // namespace trainctl::local
