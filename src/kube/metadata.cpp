// Keys hold a slash, which a JSON pointer escapes.
#include "kube/metadata.h"

#include "base/json.h"
#include "base/text.h"

namespace trainctl::kube {

std::string label_pointer(std::string_view key) {
  return cat("/metadata/labels/", pointer_step(key));
}

std::string annotation_pointer(std::string_view key) {
  return cat("/metadata/annotations/", pointer_step(key));
}

}  // namespace trainctl::kube
