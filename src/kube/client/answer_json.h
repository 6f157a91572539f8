// JSON as a server sends it: bytes that are no UTF-8 cost a replacement character, not the answer.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::kube {

// Like parse_json, but a text with invalid UTF-8 is read again with those bytes as U+FFFD. Omits
// managedFields, which record who wrote which field: nobody reads them, and they are half of the
// bytes.
Result<Json> parse_answer(std::string_view text, std::string_view what);

}  // namespace trainctl::kube
