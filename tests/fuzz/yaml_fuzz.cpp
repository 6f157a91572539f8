// libFuzzer: no text hangs or breaks the YAML reader, and what it reads is written back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/value/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainctl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto values = from_yaml_stream(text, "fuzz");
  if (!values) return 0;
  for (const Json& value : *values) {
    const auto again = from_yaml(to_yaml(value), "again");
    if (!again || dump(*again) != dump(value)) std::abort();
  }
  return 0;
}
