// The container in which a worker of a PyTorchJob waits for the master's name to resolve. The
// embedded cluster's kubelet treats one of this name and image as completed at once, since every
// name resolves there.
#pragma once

#include <string_view>

namespace trainctl::job {

inline constexpr std::string_view k_init_pytorch = "init-pytorch";
inline constexpr std::string_view k_init_pytorch_image = "alpine:3.10";

}  // namespace trainctl::job
