// Bodies that clients send to the embedded cluster: any bytes are an object or a refusal with a
// Status that can be printed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "local/api/call.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainctl;
  local::ApiRequest request;
  request.content_type = "application/json";
  request.body = std::string(reinterpret_cast<const char*>(data), size);
  const auto body = local::body_of(request);
  if (const auto* refused = std::get_if<local::ApiError>(&body)) {
    dump(local::status_object(*refused));
  } else if (!std::get<Json>(body).is_object()) {
    std::abort();
  }
  return 0;
}
