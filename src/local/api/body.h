// Request bodies: JSON or YAML, within the size the API server takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "local/api_error.h"
#include "local/resources.h"

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
// What is wrong with text that is no JSON, in the words of Go's decoder.
std::optional<std::string> json_fault(std::string_view text);
// Core objects without a kind or version are what the path says; custom ones are refused.
std::optional<ApiError> refuse_untyped(const ServedResource& expected, const Json& object,
                                       std::string_view text);

// "Application/JSON; charset=utf-8" is "application/json".
std::string media_type(std::string_view content_type);
ApiError unsupported_media_type(std::string_view accepted);
// 413
std::optional<ApiError> refuse_large(std::string_view body);

}  // namespace trainctl::local
