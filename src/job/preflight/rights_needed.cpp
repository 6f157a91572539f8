// Only a right to create decides: without the others a job runs unwatched.
#include "job/preflight/rights_needed.h"

#include "base/text/text.h"

namespace trainctl::job {
namespace {

std::string described(const kube::Action& action) {
  return cat(action.verb, ' ', action.resource.plural,
             action.subresource.empty() ? "" : cat('/', action.subresource));
}

}  // namespace

std::vector<NeededRight> needed_rights(const kube::Resource& jobs) {
  return {{{"create", jobs}, Prospect::fails, "the job cannot be created"},
          {{"watch", jobs}, Prospect::may_fail, "its verdict cannot be awaited"},
          {{"watch", kube::k_pods},
           Prospect::may_fail,
           "its replicas and their logs cannot be followed"},
          {{"get", kube::k_pods, "log"}, Prospect::may_fail, "its logs cannot be read"}};
}

Findings judge_right(const NeededRight& right, std::optional<bool> allowed, const std::string& ns) {
  if (allowed.value_or(true)) return {};
  return {
      {right.without, "rights",
       cat("you may not ", described(right.action), " in namespace ", ns, ": ", right.consequence),
       cat("ask your administrator for permission to ", described(right.action)), Code::auth}};
}

}  // namespace trainctl::job
