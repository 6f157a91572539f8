// What the user can do about something that keeps a job from starting, going on or ending.
#pragma once

#include <string>
#include <string_view>

namespace trainctl::job {

// The reason of a replica that is over while another of its containers is not; the message is that
// container's name.
inline constexpr std::string_view k_sidecar_running = "SidecarRunning";

// `reason` is one that kubelet, scheduler or operator write, `message` their words. "" when there
// is nothing to say.
std::string hint_for(std::string_view reason, std::string_view message);
// The same about a job that no operator has touched.
inline constexpr std::string_view k_no_operator_hint =
    "is the training operator running, and does it serve this namespace?";

}  // namespace trainctl::job
