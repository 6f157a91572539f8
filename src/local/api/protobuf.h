// Reads the few kinds that kubectl's typed commands (create configmap, auth whoami) send as
// protobuf and never as JSON.
#pragma once

#include <optional>
#include <string_view>

#include "base/value/json.h"

namespace trainctl::local {

// The object as its JSON would be. nullopt for another kind, for a field that is not in the table
// and has a value, and for bytes that are no such message.
std::optional<Json> from_protobuf(std::string_view body);

}  // namespace trainctl::local
