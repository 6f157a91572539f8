// Field selectors: "metadata.name=a,status.phase!=Running", on the fields each kind supports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

struct FieldRequirement {
  std::vector<std::string_view> places;  // pointers; the first that is not empty counts
  std::string value;
  bool differs = false;
};

struct FieldSelector {
  std::vector<FieldRequirement> requirements;
  bool matches(const Json& object) const;
};

// Parses a selector; 400 for a field that the kind does not support, and for invalid syntax.
Answered<FieldSelector> parse_field_selector(const ServedResource& resource, std::string_view text);

}  // namespace trainctl::local
