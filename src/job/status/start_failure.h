// Why a container could not be started: the same words for every status and event that says so.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/json.h"
#include "base/time.h"

namespace trainctl::job {

// The reason and the words do not depend on the moment of the look: kubelet and runtime alternate
// between several for one and the same cause.
struct StartFailure {
  std::string reason;   // StartError, ImagePullBackOff, CreateContainerConfigError, …
  std::string message;  // in one line; may be empty

  // The program itself is at fault and no retry changes that: it is not there, or is no program.
  bool is_of_program() const { return reason == "StartError"; }
  // "exec: "trian": executable file not found in $PATH", "ImagePullBackOff: no such image"
  std::string words() const;
};

// From a container's status: its present state, else the end of its last run. nullopt when its last
// run began, or when it merely waits.
std::optional<StartFailure> read_start_failure(const Json& container_status);

// From the events about pods of one replica, in the order of time: the latest that says so. Whether
// a container started later on is for the caller to know.
std::optional<StartFailure> last_start_failure(std::span<const Json* const> pod_events);

}  // namespace trainctl::job
