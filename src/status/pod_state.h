// The state of one replica, derived from its pod and the events about it. Pure functions.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "status/state.h"

namespace trainctl::job {

// The container lists in the order in which they start; each exists in the spec and as statuses.
inline constexpr std::array<std::string_view, 3> k_container_lists = {
    "initContainers", "containers", "ephemeralContainers"};
// The annotation with the container whose log kubectl shows by default.
inline constexpr std::string_view k_default_container = "kubectl.kubernetes.io/default-container";

// The condition of a pod whose volumes are mounted and whose network is set up (KEP-3085).
inline constexpr std::string_view k_sandbox_ready = "PodReadyToStartContainers";

// Fills the pod, the present run and the last exit of a replica.
void read_pod(const Kind& kind, const Json& pod, ReplicaState& replica);

// True for a replica that crashes repeatedly: after three restarts the node backs off from it, or
// its first four runs have failed so quickly that the node will, though it reports that only after
// a while.
bool is_crash_loop(const ReplicaState& replica);
// The same for a replica whose pods fail as a whole and are made anew by the operator, which no
// backoffLimit ends (https://github.com/kubeflow/training-operator/issues/2045).
bool is_made_anew_in_vain(const ReplicaState& replica);

// When the node starts a failed replica again, by the back-off that its kubelet reports; nullopt
// when it reports none.
std::optional<Time> restart_time(const ReplicaState& replica);

// True if the deletion may have ended the pod: a pod that ended earlier is deleted without a grace
// period.
bool was_alive_when_deleted(const Json& pod);

// The names of all its containers, in the order in which they start.
std::vector<std::string> container_names(const Json& pod);
// The status entry of a container, from any list; null when the kubelet has not written one.
const Json* container_status(const Json& pod, std::string_view container);
// The container whose log and exit code represent the replica: the kind's, else the first.
std::string main_container(const Kind& kind, const Json& pod);

// Adds why the pod does not start, where its status does not say. `events` are about pods with this
// replica's name.
void read_events_of_pod(std::span<const Json* const> events, ReplicaState& replica);

}  // namespace trainctl::job
