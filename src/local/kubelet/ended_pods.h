// Pods that are gone while their job is there: their last state and their logs are kept until the
// job is deleted.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "local/kubelet/kubelet_context.h"

namespace trainctl::local {

// Keeps a pod that is being removed and its logs, in place of an earlier pod of that name; false,
// and nothing is kept, when its job is gone, when it never ran, or when the disk is full.
bool keep_ended_pod(const KubeletContext& context, const Json& pod);
std::vector<Json> ended_pods(const KubeletContext& context, std::string_view job_uid);
std::optional<Json> find_ended_pod(const KubeletContext& context, std::string_view ns,
                                   std::string_view name);
// The job is deleted.
void forget_ended_pods(const KubeletContext& context, std::string_view job_uid);
// The uids of all pods that are kept. Forgets those whose jobs were deleted meanwhile.
std::set<std::string, std::less<>> kept_pod_uids(const KubeletContext& context);

}  // namespace trainctl::local
