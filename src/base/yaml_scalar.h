// What an unquoted YAML scalar means.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace trainctl {

// null, a boolean, a number or a string; nullopt for numbers JSON cannot hold (.inf, .nan, 1e999).
std::optional<Json> plain_scalar(const std::string& text);

}  // namespace trainctl
