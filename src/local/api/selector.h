// Label selectors as the API server reads them: "app=a,tier in (x,y),!canary".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "local/api_error.h"

namespace trainctl::local {

enum class LabelOperator { exists, absent, in, not_in, greater, less };

struct LabelRequirement {
  std::string key;
  LabelOperator op = LabelOperator::exists;
  std::vector<std::string> values;
};

struct LabelSelector {
  std::vector<LabelRequirement> requirements;
  bool matches(const Json& object) const;
};

// Parses a selector; 400 with the message of k8s.io/apimachinery/pkg/labels.
Answered<LabelSelector> parse_label_selector(std::string_view text);

}  // namespace trainctl::local
