// Checks a container's name against the pod's spec.
#include "local/api/container_choice.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"

namespace trainctl::local {
namespace {

std::vector<std::string> container_names(const Json& pod, const char* list) {
  std::vector<std::string> names;
  for (const Json& container : array_at(pod, list)) names.push_back(text_at(container, "/name"));
  return names;
}

}  // namespace

std::optional<ApiError> choose_container(const Json& pod, std::string& container) {
  const std::vector<std::string> main = container_names(pod, "/spec/containers");
  const std::vector<std::string> init = container_names(pod, "/spec/initContainers");
  const std::string name = text_at(pod, "/metadata/name");
  const auto has = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, container) != names.end();
  };
  if (!container.empty()) {
    if (has(main) || has(init)) return std::nullopt;
    return bad_request(cat("container ", container, " is not valid for pod ", name));
  }
  if (main.size() == 1) {
    container = main[0];
    return std::nullopt;
  }
  std::string text = cat("a container name must be specified for pod ", name);
  if (!main.empty()) text += cat(", choose one of: [", join(main, " "), "]");
  if (!init.empty()) text += cat(" or one of the init containers: [", join(init, " "), "]");
  return bad_request(text);
}

}  // namespace trainctl::local
