// Parses the options of reads and writes from the query (and, for DELETE, the body).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "local/api/call.h"
#include "local/api/field_selector.h"
#include "local/api/selector.h"

namespace trainctl::local {

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
  std::string propagation;
  std::string uid;  // preconditions
  std::string resource_version;
};
Answered<DeleteOptions> delete_options(const ApiCall& call);

}  // namespace trainctl::local
