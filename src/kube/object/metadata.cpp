// Keys hold a slash, which a JSON pointer escapes.
#include "kube/object/metadata.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::kube {

std::string label_pointer(std::string_view key) {
  return cat("/metadata/labels/", pointer_step(key));
}

std::string annotation_pointer(std::string_view key) {
  return cat("/metadata/annotations/", pointer_step(key));
}

bool is_being_deleted(const Json& object) {
  return trainctl::find(object, "/metadata/deletionTimestamp") != nullptr;
}

bool has_owner(const Json& object, std::string_view uid) {
  return std::ranges::any_of(array_at(object, "/metadata/ownerReferences"),
                             [uid](const Json& owner) { return text_at(owner, "/uid") == uid; });
}

Json owner_reference(const Resource& resource, const Json& object) {
  return {{"apiVersion", resource.api_version()},
          {"kind", resource.kind},
          {"name", text_at(object, "/metadata/name")},
          {"uid", text_at(object, "/metadata/uid")}};
}

}  // namespace trainctl::kube
