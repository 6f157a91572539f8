// Golden cases and tests share these: exchanges from worlds/NAME.yaml, objects from objects/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "support/fake_transport.h"
#include "support/named_objects.h"

namespace trainctl::testing {

// The objects of all files, made once.
const Result<NamedObjects>& shared_objects();

// With each element of a list that has `times` repeated.
Json with_repeated(const Json& value);

// Exchanges that may refer to the shared objects.
Result<std::vector<Exchange>> read_server(std::string_view yaml, std::string_view name);
Result<std::vector<Exchange>> read_world(const std::string& name);

}  // namespace trainctl::testing
