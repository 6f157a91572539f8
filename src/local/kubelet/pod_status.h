// Derives a pod's status from its containers, field by field as a kubelet reports it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

// One run of a container, until the container is restarted.
struct Instance {
  int attempt = 0;
  std::string id;  // "trainctl://HEX"
  std::optional<Time> started;
  std::optional<ContainerExit> exit;
  std::string message;  // its termination message
  // The embedded cluster ended it to shut down, so its exit code is not a verdict on the program.
  bool interrupted = false;

  bool is_running() const { return started && !exit; }
};

enum class ContainerRole { init, sidecar, main };

struct ContainerView {
  Json spec;
  ContainerRole role = ContainerRole::main;
  std::optional<Instance> current;
  std::optional<Instance> last;  // the run before
  std::string waiting_reason;    // "" = the state is that of `current`
  std::string waiting_message;
  bool started = false;  // it runs, or has run

  bool is_running() const { return current && current->is_running(); }
  bool has_ended() const { return current && current->exit; }
  bool has_succeeded() const {
    return has_ended() && current->exit->code == 0 && !current->interrupted;
  }
  std::string name() const { return text_at(spec, "/name"); }
};

struct PodView {
  std::vector<ContainerView> containers;  // init containers and sidecars come first, in order
  bool has_volumes = false;               // all volumes of the containers are available
  bool has_ended = false;                 // no container will run again, whatever the policy
  bool holds_phase = false;  // the containers' end is reported, but the pod's phase not yet
  std::string reason;        // of the pod: DeadlineExceeded, with which it has failed
  std::string message;
};

// The pod's policy: "OnFailure", "Never" or "Always" (the default).
std::string restart_policy(const Json& pod);
// True when the kubelet must run the container again, by its exit and the pod's policy. The policy
// does not count an interrupted run.
bool will_restart(const ContainerView& container, std::string_view policy);
// True when an init container has failed permanently.
bool has_failed_init(const PodView& view, std::string_view policy);

std::string pod_phase(const Json& pod, const PodView& view);
// The new status; conditions keep their transition times from the pod's present status.
Json pod_status(const Json& pod, const PodView& view, Time now);

// Sets a condition of the pod's status, moving lastTransitionTime when its value changes.
void set_condition(Json& conditions, const Json& pod, Json condition, Time now);

}  // namespace trainctl::local
