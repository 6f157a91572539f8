// A .trainctl.yaml comes with a stranger's repository: any text is a mapping or a usage error, and
// a key that is set in one that could be read is there afterwards.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/value/config_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainctl;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_config(text, "config.yaml");
  if (!config) {
    if (config.error().code != Code::usage) std::abort();
    return 0;
  }
  if (!config->is_object()) std::abort();
  for (const char* section : {"", "get"}) {
    config_line(text, {section, "output"});
    config_line(text, {"presets", section, "output"});
    const auto changed = with_config_key(text, "config.yaml", section, "output", "wide");
    if (!changed) continue;
    const auto read = parse_config(*changed, "config.yaml");
    const std::string place = *section == '\0' ? "/output" : "/get/output";
    if (!read || text_at(*read, place) != "wide") std::abort();
  }
  return 0;
}
