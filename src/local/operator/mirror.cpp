// Repeats errors of pods as events of their job.
#include <algorithm>

#include "base/text/text.h"
#include "local/operator/pass.h"

namespace trainctl::local {

namespace {

void mirror_container(Judgement& judgement, const Json& pod, const Json& container) {
  const std::string place =
      cat("Error pod ", text_at(pod, "/metadata/name"), " container ", text_at(container, "/name"));
  if (const auto code = int_at(container, "/state/terminated/exitCode"); code && *code != 0) {
    record(judgement, "Warning", text_at(container, "/state/terminated/reason"),
           cat(place, " exitCode: ", *code,
               " terminated message: ", text_at(container, "/state/terminated/message")));
  }
  const std::string waiting = text_at(container, "/state/waiting/message");
  if (waiting.empty()) return;
  record(judgement, "Warning", text_at(container, "/state/waiting/reason"),
         cat(place, " waiting message: ", waiting));
}

// The condition that changed last counts for a pod that has no containers yet.
void mirror_condition(Judgement& judgement, const Json& pod) {
  const Json& conditions = array_at(pod, "/status/conditions");
  const auto changed = [](const Json& condition) {
    return parse_time(text_at(condition, "/lastTransitionTime")).value_or(Time{});
  };
  const auto latest = std::ranges::max_element(
      conditions, [&](const Json& a, const Json& b) { return changed(a) < changed(b); });
  if (latest == conditions.end() || text_at(*latest, "/status") == "True") return;
  record(judgement, "Warning", text_at(*latest, "/reason"),
         cat("Error pod ", text_at(pod, "/metadata/name"),
             " condition message: ", text_at(*latest, "/message")));
}

}  // namespace

void mirror_pod_errors(Judgement& judgement) {
  for (const ObjectPtr& pod : judgement.pods) {
    if (!is_active(*pod)) continue;
    const Json& containers = array_at(*pod, "/status/containerStatuses");
    const Json& init = array_at(*pod, "/status/initContainerStatuses");
    for (const Json& container : containers.empty() ? init : containers) {
      mirror_container(judgement, *pod, container);
    }
    if (containers.empty() && init.empty()) mirror_condition(judgement, *pod);
  }
}

}  // namespace trainctl::local
