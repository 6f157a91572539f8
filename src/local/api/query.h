// Parses the query of a request: selectors, and the options of reads and writes (of DELETE also the
// body).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "local/api/call.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

// Label selectors as the API server reads them: "app=a,tier in (x,y),!canary".
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

// Field selectors: "metadata.name=a,status.phase!=Running", on the fields each kind supports.
struct FieldRequirement {
  std::string_view place;  // a pointer
  std::string value;
  bool differs = false;
};

struct FieldSelector {
  std::vector<FieldRequirement> requirements;
  bool matches(const Json& object) const;
};

// Parses a selector; 400 for a field that the kind does not support, and for invalid syntax.
Answered<FieldSelector> parse_field_selector(const ServedResource& resource, std::string_view text);

struct Selection {
  LabelSelector labels;
  FieldSelector fields;

  bool matches(const Json& object) const {
    return labels.matches(object) && fields.matches(object);
  }
};

// metav1.ListOptions
struct ListOptions {
  Selection selection;
  std::int64_t resource_version = 0;
  bool watch = false;
  bool bookmarks = false;
  std::optional<std::int64_t> timeout;  // seconds
};
Answered<ListOptions> list_options(const ApiCall& call);

// 504 for a version that does not exist yet.
std::optional<ApiError> refuse_future(std::int64_t version, const Store& store);

// metav1.DeleteOptions
struct DeleteOptions {
  int grace = -1;
  std::string uid;  // preconditions
  std::string resource_version;
};
Answered<DeleteOptions> delete_options(const ApiCall& call);

}  // namespace trainctl::local
