// Selectors as clients type them: any text is a selector that matches or not, or is refused as a
// bad request.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "local/api/query.h"

namespace {

using namespace trainctl;

template <typename Selector>
void try_it(const local::Answered<Selector>& parsed, const Json& object) {
  if (const auto* refused = std::get_if<local::ApiError>(&parsed)) {
    if (refused->code != 400) std::abort();
    return;
  }
  const Selector& selector = std::get<Selector>(parsed);
  if (selector.requirements.empty() && !selector.matches(object)) std::abort();
  selector.matches(object);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Json k_pod{
      {"metadata", {{"name", "ddp-worker-0"}, {"labels", {{"app", "ddp"}, {"rank", "7"}}}}},
      {"status", {{"phase", "Running"}}}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_it(local::parse_label_selector(text), k_pod);
  for (const local::ServedResource& resource : local::served_resources()) {
    try_it(local::parse_field_selector(resource, text), k_pod);
  }
  return 0;
}
