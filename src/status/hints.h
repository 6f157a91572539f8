// Hints about what keeps a job from starting, continuing or ending.
#pragma once

#include <string>
#include <string_view>

namespace trainctl::job {

// GPUs are the only resource that the embedded cluster counts.
inline constexpr std::string_view k_too_few_gpus_here =
    "this machine has fewer GPUs: lower --gpu, or stop the embedded cluster (trainctl local down) "
    "and simulate GPUs with --local-gpus N";

struct LastExit;  // status/state.h

// The reason of a job whose replica has finished while another of its containers has not.
inline constexpr std::string_view k_sidecar_running = "SidecarRunning";

// A hint for a `reason` and `message` of kubelet, scheduler or operator; "" when there is none.
// `pod`: the name of the pod that they are about; "" = none.
std::string hint_for(std::string_view reason, std::string_view message, std::string_view pod = "");
// A hint for a container that ended so; "" when its end says nothing.
std::string exit_hint(const LastExit& exit);
// A hint about a container that keeps the pod of a finished replica running.
std::string sidecar_hint(std::string_view container);
// The hint about a job that no operator has processed.
inline constexpr std::string_view k_no_operator_hint =
    "is the training operator running (for a TrainJob: Trainer), and does it serve this namespace?";

// The hint about a pod that asks for more than the cluster's one node has: waiting does not help.
inline constexpr std::string_view k_too_large_hint =
    "the only node has less than that: lower --gpu, --cpu or --memory";

}  // namespace trainctl::job
