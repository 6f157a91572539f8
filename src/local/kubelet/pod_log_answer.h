// The log endpoint's answer for a pod, with the kubelet's messages.
#pragma once

#include "local/kubelet/kubelet_context.h"
#include "local/kubelet/log_reader.h"

namespace trainctl::local {

ApiAnswer log_answer(const KubeletContext& context, LogWatcher& watcher, const Json& pod,
                     const LogQuestion& question);

}  // namespace trainctl::local
