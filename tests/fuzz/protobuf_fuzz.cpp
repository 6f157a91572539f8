// Protobuf that kubectl's typed commands send to the embedded cluster: any bytes are an object that
// can be printed, or no message.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/value/json.h"
#include "local/api/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainctl;
  const auto object = local::from_protobuf({reinterpret_cast<const char*>(data), size});
  if (!object) return 0;
  if (!object->is_object()) std::abort();
  dump(*object);
  return 0;
}
