// The type and value of an unquoted YAML scalar.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/value/json.h"

namespace trainctl {

// Returns null, a boolean, a number or a string; nullopt for numbers that JSON cannot hold (.inf,
// .nan, 1e999).
std::optional<Json> plain_scalar(const std::string& text);

}  // namespace trainctl
