// Request bodies: JSON or YAML, within the size the API server takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "local/api_error.h"

namespace trainctl::local {

struct RequestBody {
  Json object;                          // always an object
  std::vector<std::string> duplicates;  // paths of the fields that stand twice
};

// `kind` is what the server expects, for its refusals: 415 for other media types, 400 for text that
// is no object.
Answered<RequestBody> read_body(std::string_view kind, std::string_view content_type,
                                std::string_view text);
// The same without looking at the content type; `yaml` chooses the language.
Answered<RequestBody> read_object(std::string_view kind, std::string_view text, bool yaml);

// "Application/JSON; charset=utf-8" is "application/json".
std::string media_type(std::string_view content_type);
ApiError unsupported_media_type(std::string_view accepted);
// 413
std::optional<ApiError> refuse_large(std::string_view body);

}  // namespace trainctl::local
