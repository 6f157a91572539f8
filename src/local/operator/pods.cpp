// Reads labels, phases and deletion of stored pods and services.
#include "local/operator/pods.h"

#include "base/text/text.h"
#include "job/kind/kind.h"
#include "kube/object/metadata.h"

namespace trainctl::local {

bool has_labels(const Json& object, const Json& labels) {
  const Json& there = object_at(object, "/metadata/labels");
  for (const auto& [key, value] : labels.items()) {
    const auto found = there.find(key);
    if (found == there.end() || *found != value) return false;
  }
  return true;
}

int replica_index(const Json& pod) {
  return parse_number<int>(text_at(pod, kube::label_pointer(job::k_label_index))).value_or(-1);
}

bool is_active(const Json& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  return phase != "Succeeded" && phase != "Failed" && !kube::is_being_deleted(pod);
}

std::vector<ObjectPtr> of_role(std::span<const ObjectPtr> objects, std::string_view type) {
  const Json label = Json{{job::k_label_role, type}};
  std::vector<ObjectPtr> matching;
  for (const ObjectPtr& object : objects) {
    if (has_labels(*object, label)) matching.push_back(object);
  }
  return matching;
}

}  // namespace trainctl::local
