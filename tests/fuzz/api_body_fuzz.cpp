// Bodies that clients send to the embedded cluster: any bytes are an object or a refusal with a
// Status that can be printed.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "local/api/body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainctl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool yaml : {false, true}) {
    const auto body = local::read_object("Pod", text, yaml);
    if (const auto* refused = std::get_if<local::ApiError>(&body)) {
      if (refused->code != 400) std::abort();
      dump(local::status_object(*refused));
      continue;
    }
    if (!std::get<local::RequestBody>(body).object.is_object()) std::abort();
    if (!yaml && local::json_fault(text)) std::abort();
  }
  return 0;
}
