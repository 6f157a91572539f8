// Looks a condition up by its type.
#include "kube/object/conditions.h"

namespace trainctl::kube {
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

}  // namespace trainctl::kube
