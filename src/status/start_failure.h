// Says why a container could not be started, worded the same for every status and event that
// reports it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/text/time.h"
#include "base/value/json.h"

namespace trainctl::job {

// Words a container runtime's reason for not starting a program for people. "failed to create
// containerd task: … runc create failed: … exec: "trian": executable file not found in $PATH:
// unknown" lists the callers before the cause: "trian: not found in PATH". The words of an unknown
// cause stay, without the callers.
std::string program_fault(std::string runtime_message);

// Reason and message do not depend on when the status is read: kubelet and runtime alternate
// between several for the same cause.
struct StartFailure {
  std::string reason;   // StartError, ImagePullBackOff, CreateContainerConfigError, …
  std::string message;  // in one line; may be empty

  // True when the program itself is at fault and no retry helps: it is missing, or is not
  // executable.
  bool is_of_program() const { return reason == "StartError"; }
  // The failure in one line: "trian: not found in PATH", "ImagePullBackOff: no such image".
  std::string words() const;
};

// Reads a container's status: its present state, else the end of its last run. nullopt when its
// last run started, or when it is merely waiting.
std::optional<StartFailure> read_start_failure(const Json& container_status);

// The latest start failure in the events about pods of one replica, which are in time order. The
// caller has to know whether a container started later.
std::optional<StartFailure> last_start_failure(std::span<const Json* const> pod_events);

}  // namespace trainctl::job
