// Checks and changes an object before the API server stores it: schema, defaults, webhooks.
#pragma once

#include <string>
#include <vector>

#include "base/value/json.h"
#include "local/api_error.h"
#include "local/resources.h"

namespace trainctl::local {

enum class FieldValidation { ignore, warn, strict };

struct Admitted {
  Json object;                        // without unknown fields, with the schema's defaults
  std::vector<std::string> warnings;  // texts for Warning: headers
};

// Admits an object in the server's order: strict decoding (400), schema (422), then the training
// operator's validating webhooks (403). `before` is the stored object of an update, else null.
// `duplicates` are the paths of fields that occurred twice in the request's text.
Answered<Admitted> admit(const ServedResource& resource, Json object, const Json* before,
                         FieldValidation validation, const std::vector<std::string>& duplicates);

}  // namespace trainctl::local
