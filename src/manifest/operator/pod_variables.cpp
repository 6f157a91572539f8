// The operator looks for no earlier variable of the same name.
#include "manifest/operator/pod_variables.h"

namespace trainctl::job {

void append_variables(Json& container, const std::vector<Json>& variables) {
  Json& list = list_in(container, "env");
  for (const Json& each : variables) list.push_back(each);
}

void append_variables_to_all(Json& pod, const std::vector<Json>& variables) {
  for (Json& container : list_in(object_in(pod, "spec"), "containers")) {
    append_variables(container, variables);
  }
}

}  // namespace trainctl::job
