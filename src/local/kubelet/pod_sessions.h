// Chooses the run of a container that a session is for, or says why there is none.
#pragma once

#include "local/kubelet/kubelet_context.h"
#include "local/kubelet/log_reader.h"
#include "local/pod_requests.h"

namespace trainctl::local {

std::unique_ptr<ApiSession> open_exec(const KubeletContext& context, const Json& pod,
                                      const StreamQuestion& question);
std::unique_ptr<ApiSession> open_attach(const KubeletContext& context, LogWatcher& watcher,
                                        const Json& pod, const StreamQuestion& question);
std::unique_ptr<ApiSession> open_ports(const KubeletContext& context, const Json& pod,
                                       const std::vector<int>& ports);

}  // namespace trainctl::local
