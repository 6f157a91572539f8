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

const Json* find_uid(std::span<const Json> objects, std::string_view uid) {
  const auto found = std::ranges::find_if(objects, [uid](const Json& one) {
    return !uid.empty() && text_at(one, "/metadata/uid") == uid;
  });
  return found == objects.end() ? nullptr : &*found;
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

namespace {

const Json* find(const Json& object, std::string_view type, bool is_true) {
  for (const Json& condition : array_at(object, "/status/conditions")) {
    const bool counts = !is_true || text_at(condition, "/status") == "True";
    if (counts && text_at(condition, "/type") == type) return &condition;
  }
  return nullptr;
}

}  // namespace

const Json* find_condition(const Json& object, std::string_view type) {
  return find(object, type, false);
}

const Json* true_condition(const Json& object, std::string_view type) {
  return find(object, type, true);
}

std::optional<Time> transition_time(const Json& condition) {
  return parse_time(text_at(condition, "/lastTransitionTime"));
}

Json variable(std::string_view name, std::string_view value) {
  return Json{{"name", name}, {"value", value}};
}

Json variable(std::string_view name, std::int64_t value) {
  return variable(name, std::to_string(value));
}

Json volume_mount(std::string_view volume, std::string_view path) {
  return Json{{"name", volume}, {"mountPath", path}};
}

}  // namespace trainctl::kube
