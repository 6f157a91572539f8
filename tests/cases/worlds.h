// The exchanges that golden cases and tests share, from worlds/NAME.yaml.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "support/fake_transport.h"

namespace trainctl::testing {

Result<std::vector<Exchange>> read_world(const std::string& name);

}  // namespace trainctl::testing
