// The part of YAML that is JSON, read by the JSON parser.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"

namespace trainctl {

// The value of a text that is one JSON object or array within the limits of from_yaml; nullopt for
// all else, which is then for the YAML parser to read, or to refuse by line and column. Tabs,
// surrogate escapes and long keys are right in JSON but not for that parser.
std::optional<Json> read_as_json(std::string_view text);

}  // namespace trainctl
