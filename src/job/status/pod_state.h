// How one replica stands, read off its pod and the events about it. Pure.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "job/kind/kind.h"
#include "job/status/state.h"

namespace trainctl::job {

// In the order in which they start; of each there is a list in the spec and one of statuses.
inline constexpr std::array<std::string_view, 3> k_container_lists = {
    "initContainers", "containers", "ephemeralContainers"};
// The container whose log kubectl shows unless asked for another.
inline constexpr std::string_view k_default_container = "kubectl.kubernetes.io/default-container";

// The condition of a pod whose volumes are mounted and whose network stands (KEP-3085).
inline constexpr std::string_view k_sandbox_ready = "PodReadyToStartContainers";

// Fills state, reason, message, exit_code, restarts and the times from the pod.
void read_pod(const Kind& kind, const Json& pod, ReplicaState& replica);

// True for a replica that crashes again and again: after three restarts the node backs off from it,
// or its first four runs have failed so soon that the node will, which takes it a while to say.
bool is_crash_loop(const ReplicaState& replica);

// The status entry of a container, of whichever list; null when the kubelet has not written one.
const Json* container_status(const Json& pod, std::string_view container);
// The container whose log and exit code stand for the replica: the kind's, else the first.
std::string main_container(const Kind& kind, const Json& pod);

// The moment an event last happened: kubelet and operator write lastTimestamp, the scheduler
// eventTime and series.
std::optional<Time> event_time(const Json& event);

// Adds why the pod does not start, where its status is silent. `events` are about pods of this
// replica's name.
void read_events_of_pod(std::span<const Json* const> events, ReplicaState& replica);

}  // namespace trainctl::job
