// Answers about a pod, with the kubelet's messages: its log, and sessions in one of its containers.
#pragma once

#include "local/kubelet/kubelet_context.h"
#include "local/kubelet/log_reader.h"
#include "local/pod_requests.h"

namespace trainctl::local {

// pod_log_answer.cpp
ApiAnswer log_answer(const KubeletContext& context, LogWatcher& watcher, const Json& pod,
                     const LogQuestion& question);

// pod_sessions.cpp: choose the run of a container that a session is for, or say why there is none.
std::unique_ptr<ApiSession> open_exec(const KubeletContext& context, const Json& pod,
                                      const StreamQuestion& question);
std::unique_ptr<ApiSession> open_attach(const KubeletContext& context, LogWatcher& watcher,
                                        const Json& pod, const StreamQuestion& question);
std::unique_ptr<ApiSession> open_ports(const KubeletContext& context, const Json& pod,
                                       const std::vector<int>& ports);

}  // namespace trainctl::local
