// What the user can do about something that keeps a job from starting, going on or ending.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainctl::job {

// The reason of a job whose replica is over while another of its containers is not.
inline constexpr std::string_view k_sidecar_running = "SidecarRunning";

// `reason` is one that kubelet, scheduler or operator write, `message` their words. "" when there
// is nothing to say.
std::string hint_for(std::string_view reason, std::string_view message);
// What a container may lack that ended with this code; "" when the code says nothing.
std::string exit_hint(std::optional<int> exit_code, std::string_view reason);
// About a container that keeps the pod of a finished replica running.
std::string sidecar_hint(std::string_view container);
// About a job that no operator has touched.
inline constexpr std::string_view k_no_operator_hint =
    "is the training operator running, and does it serve this namespace?";

}  // namespace trainctl::job
