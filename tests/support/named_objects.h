// JSON objects by name, for scripted servers that say only how theirs differ.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::testing {

class NamedObjects {
 public:
  // Adds the members of a YAML mapping; `file` is its name for messages.
  Status add(std::string_view yaml, std::string_view file);

  // The value with each mapping that has `object: NAME` replaced: by that object, into which its
  // other members are merged (a JSON merge patch: null removes, lists are replaced).
  Result<Json> resolved(const Json& value) const;

 private:
  Result<Json> resolved(const Json& value, int depth) const;

  std::map<std::string, Json, std::less<>> objects_;  // as written
};

}  // namespace trainctl::testing
