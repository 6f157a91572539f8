// The part of YAML that is JSON, read by the JSON parser.
#pragma once

#include <optional>
#include <string_view>

#include "base/value/json.h"

namespace trainctl {

// The value of a text that is one JSON object or array within the limits of from_yaml. nullopt for
// all other texts, which the YAML parser then reads, or refuses by line and column. Tabs, surrogate
// escapes and long keys are valid JSON, but that parser rejects them.
std::optional<Json> read_as_json(std::string_view text);

}  // namespace trainctl
