// kubectl's annotation takes precedence over Kubeflow's container names, as users of both expect.
#include "job/logs/log_container.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "job/status/pod_state.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

namespace {

std::vector<std::string> containers_of(const Json& pod) {
  std::vector<std::string> names;
  for (const std::string_view list : k_container_lists) {
    for (const Json& container : array_at(pod, cat("/spec/", list))) {
      names.push_back(text_at(container, "/name"));
    }
  }
  return names;
}

}  // namespace

Result<LogContainer> log_container(const Kind& kind, const Json& pod, const std::string& replica,
                                   const std::string& asked) {
  const std::vector<std::string> there = containers_of(pod);
  const auto has = [&there](const std::string& name) {
    return std::ranges::find(there, name) != there.end();
  };
  if (!asked.empty()) {
    if (there.empty() || has(asked)) return LogContainer{asked, ""};
    return Error{Code::not_found,
                 cat(replica, " has no container ", asked, ": it has ", join(there, ", ")),
                 "leave out -c for the training container"};
  }
  const std::string main = main_container(kind, pod);
  const std::string named = text_at(pod, kube::annotation_pointer(k_default_container));
  if (named.empty() || has(named)) return LogContainer{named.empty() ? main : named, ""};
  return LogContainer{main, cat("the annotation ", k_default_container, " names a container ",
                                printable_line(named), " that does not exist; showing ", main)};
}

bool may_have_begun(const Json& pod, std::string_view container) {
  if (text_at(pod, "/spec/nodeName").empty()) return false;
  const Json* status = container_status(pod, container);
  if (status == nullptr) return true;
  const std::string reason = text_at(*status, "/state/waiting/reason");
  return reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
}

}  // namespace trainctl::job
