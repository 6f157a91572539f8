// Words a container runtime's reason for not starting a program for people.
#pragma once

#include <string>

namespace trainctl::job {

// "failed to create containerd task: … runc create failed: … exec: "trian": executable file not
// found in $PATH: unknown" lists the callers before the cause: "trian: not found in PATH". The
// words of an unknown cause stay, without the callers.
std::string program_fault(std::string runtime_message);

}  // namespace trainctl::job
