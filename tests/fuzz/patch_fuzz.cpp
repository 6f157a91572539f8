// Patches of anybody: whatever two JSON values come together, a patch ends, and a merge patch that
// is applied again changes nothing. Input: the object, a NUL byte, the patch.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "manifest/merge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainctl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t middle = text.find('\0');
  if (middle == std::string_view::npos) return 0;
  const auto object = parse_json(text.substr(0, middle), "object");
  const auto patch = parse_json(text.substr(middle + 1), "patch");
  if (!object || !patch) return 0;

  Json merged = *object;
  merged.merge_patch(*patch);
  Json again = merged;
  again.merge_patch(*patch);
  if (dump(again) != dump(merged)) std::abort();
  Json overlaid = *object;
  job::strategic_merge(overlaid, *patch);
  dump(overlaid);
  return 0;
}
