// Names the fields once.
#include "kube/object/pod_parts.h"

namespace trainctl::kube {

Json variable(std::string_view name, std::string_view value) {
  return Json{{"name", name}, {"value", value}};
}

Json volume_mount(std::string_view volume, std::string_view path) {
  return Json{{"name", volume}, {"mountPath", path}};
}

}  // namespace trainctl::kube
