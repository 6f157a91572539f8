// A pod's status from what its containers do, field by field as a kubelet reports it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

// One run of a container, until it is made again.
struct Instance {
  int attempt = 0;
  std::string id;  // "trainctl://HEX"
  std::optional<Time> started;
  std::optional<ContainerExit> exit;
  std::string message;  // what it left as its termination message

  bool is_running() const { return started && !exit; }
};

enum class ContainerRole { init, sidecar, main };

struct ContainerView {
  Json spec;
  ContainerRole role = ContainerRole::main;
  std::optional<Instance> current;
  std::optional<Instance> last;  // the one before
  std::string waiting_reason;    // "" = the state is that of `current`
  std::string waiting_message;
  bool ready = false;
  bool started = false;  // its startup probe has passed

  bool is_running() const { return current && current->is_running(); }
  bool has_ended() const { return current && current->exit; }
  bool has_succeeded() const { return has_ended() && current->exit->code == 0; }
  std::string name() const { return text_at(spec, "/name"); }
};

struct PodView {
  std::vector<ContainerView> containers;  // init containers and sidecars first, in order
  bool has_volumes = false;               // everything the containers need is there
  bool has_ended = false;                 // nothing of it will run again, whatever its policy
  bool holds_phase = false;               // its end is not told yet, only that of its containers
  std::string reason;                     // of the pod: DeadlineExceeded; it then has failed
  std::string message;
};

// "OnFailure", "Never" or "Always" (the default).
std::string restart_policy(const Json& pod);
// True when the kubelet is to run the container again, by its exit and the pod's policy.
bool will_restart(const ContainerView& container, std::string_view policy);
// Every init container has ended well, and every sidecar has started.
bool is_initialized(const PodView& view);
// An init container has failed for good.
bool has_failed_init(const PodView& view, std::string_view policy);

std::string pod_phase(const Json& pod, const PodView& view);
// Conditions keep their transition times from the pod's present status.
Json pod_status(const Json& pod, const PodView& view, Time now);

// The condition in the pod's status: sets it, moving lastTransitionTime when the status differs.
void set_condition(Json& conditions, const Json& pod, Json condition, Time now);

}  // namespace trainctl::local
