// Repairs an answer only when needed: well-formed answers are parsed in place.
#include "kube/client/answer_json.h"

#include <string>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace trainctl::kube {

namespace {

std::string repaired(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    if (take_code_point(text)) {
      repaired += before.substr(0, before.size() - text.size());
    } else {
      repaired += "\xef\xbf\xbd";
    }
  }
  return repaired;
}

}  // namespace

Result<Json> parse_answer(std::string_view text, std::string_view what) {
  constexpr MemberOf k_managed_fields{"metadata", "managedFields"};
  Result<Json> parsed = parse_json(text, what, k_managed_fields);
  if (parsed || is_utf8(text)) return parsed;
  return parse_json(repaired(text), what, k_managed_fields);
}

}  // namespace trainctl::kube
