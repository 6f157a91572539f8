// Fields of a manifest that the API does not have: typing errors, and what is newer than trainctl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "job/kind/kind.h"

namespace trainctl::job {

struct UnknownField {
  std::string pointer;  // "/spec/runPolicy/backofLimit"
  std::string meant;    // "backoffLimit"; "" when it resembles no field
};

// True when the word is so near to the name of a field that it is a typing error of it.
bool resembles(std::string_view word, std::string_view field);

// By the schema of training-operator 1.9 and Kubernetes 1.34. Keys that are the user's (labels,
// roles) are not looked at, nor is anything in a kind without a schema.
std::vector<UnknownField> unknown_fields(const Kind& kind, const Json& manifest);

// Refuses a field that is a typing error. One that may be newer than trainctl is let through:
// manifest_warnings tells of it.
Status check_fields(const Kind& kind, const Json& manifest);

}  // namespace trainctl::job
