// Reads request bodies: JSON or YAML, within the size that the API server accepts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

struct RequestBody {
  Json object;                          // always an object
  std::vector<std::string> duplicates;  // paths of the fields that occur twice
};

// `kind` is what the server expects, for its refusals: 415 for other media types, 400 for text that
// is no object.
Answered<RequestBody> read_body(std::string_view kind, std::string_view content_type,
                                std::string_view text);
// Like read_body, without the content type; `yaml` chooses the language.
Answered<RequestBody> read_object(std::string_view kind, std::string_view text, bool yaml);
// The error of a text that is no JSON, as Go's decoder words it.
std::optional<std::string> json_fault(std::string_view text);
// Core objects without kind or version get them from the path; custom resources are refused.
std::optional<ApiError> refuse_untyped(const ServedResource& expected, const Json& object,
                                       std::string_view text);

// Normalises "Application/JSON; charset=utf-8" to "application/json".
std::string media_type(std::string_view content_type);
ApiError unsupported_media_type(std::string_view accepted);
// 413 when the body is too large.
std::optional<ApiError> refuse_large(std::string_view body);

}  // namespace trainctl::local
