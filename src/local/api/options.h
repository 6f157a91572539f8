// Parses the options of reads and writes from the query (and, for DELETE, the body).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "local/api/admission.h"
#include "local/api/call.h"
#include "local/api/field_selector.h"
#include "local/api/selector.h"

namespace trainctl::local {

struct Selection {
  LabelSelector labels;
  FieldSelector fields;

  bool empty() const { return labels.empty() && fields.empty(); }
  bool matches(const Json& object) const {
    return labels.matches(object) && fields.matches(object);
  }
};

// metav1.ListOptions
struct ListOptions {
  Selection selection;
  std::int64_t limit = 0;
  std::string continue_token;
  std::string resource_version;
  std::string version_match;
  bool watch = false;
  bool bookmarks = false;
  bool send_initial_events = false;
  std::optional<std::int64_t> timeout;  // seconds
};
Answered<ListOptions> list_options(const ApiCall& call);

// A version; "" and "0" are 0. 500 with the server's message when it is not a number.
Answered<std::int64_t> parse_version(std::string_view text);
// 504 for a version that does not exist yet.
std::optional<ApiError> refuse_future(std::int64_t version, const Store& store);

// The common fields of Create-, Update- and PatchOptions; `kind` names them in a refusal.
struct WriteOptions {
  bool dry_run = false;
  FieldValidation validation = FieldValidation::warn;
};
Answered<WriteOptions> write_options(const ApiQuery& query, std::string_view kind);

// metav1.DeleteOptions
struct DeleteOptions {
  bool dry_run = false;
  int grace = -1;
  std::string propagation;
  std::string uid;  // preconditions
  std::string resource_version;
};
Answered<DeleteOptions> delete_options(const ApiCall& call);

}  // namespace trainctl::local
