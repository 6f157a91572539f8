// The rules of kubernetes/pkg/apis/core/v1/helper/qos.
#include "local/api/qos.h"

#include "base/text/text.h"
#include "base/value/quantity.h"

namespace trainctl::local {
namespace {

std::int64_t amount(const Json& container, std::string_view part, std::string_view name) {
  const Json* value = find(container, cat("/resources/", part, "/", name));
  if (!value) return 0;
  const std::string text = value->is_string() ? value->get<std::string>() : dump(*value);
  return checked_quantity(text) ? quantity_milli(text) : 0;
}

}  // namespace

std::string qos_class(const Json& pod) {
  bool any = false;
  bool guaranteed = true;
  for (const std::string_view list : {"/spec/initContainers", "/spec/containers"}) {
    for (const Json& container : array_at(pod, list)) {
      for (const std::string_view name : {"cpu", "memory"}) {
        const auto limit = amount(container, "limits", name);
        const auto asked = amount(container, "requests", name);
        any = any || limit > 0 || asked > 0;
        guaranteed = guaranteed && limit > 0 && (asked == 0 || asked == limit);
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace trainctl::local
