// JSON as a server sends it: bytes that are no UTF-8 cost a replacement character, not the answer.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace trainctl::kube {

// parse_json, but a text that fails for its bytes is read again with those as U+FFFD. What an
// object's metadata says of who wrote which field is left out: nobody reads it, and it is half of
// the bytes.
Result<Json> parse_answer(std::string_view text, std::string_view what);

}  // namespace trainctl::kube
