// The JSON Schema of configuration files.
#pragma once

#include "base/value/json.h"
#include "options/settings/settings.h"

namespace trainctl::cli {

// Accepts each file that the program accepts, and refuses unknown keys and values that do not have
// the type of their option.
Json config_schema(options::Keys& keys);

}  // namespace trainctl::cli
