// Derives phases, conditions and container statuses like kubelet 1.34.
#include "local/kubelet/pod_status.h"

#include <algorithm>
#include <string>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "local/api/pod_rules.h"

namespace trainctl::local {

std::string restart_policy(const Json& pod) {
  return text_at(pod, "/spec/restartPolicy", "Always");
}

bool will_restart(const ContainerView& container, std::string_view policy) {
  if (!container.has_ended()) return false;
  if (container.current->interrupted) return true;
  const bool succeeded = container.has_succeeded();
  if (container.role == ContainerRole::sidecar) return true;
  if (container.role == ContainerRole::init) return !succeeded && policy != "Never";
  return policy == "Always" || (policy == "OnFailure" && !succeeded);
}

namespace {

bool is_main(const ContainerView& container) {
  return container.role == ContainerRole::main;
}

bool is_done_before_main(const ContainerView& container) {
  if (container.role == ContainerRole::sidecar) {
    return container.started || container.last || container.has_ended();
  }
  return is_main(container) || container.has_succeeded();
}

std::string stamp(Time time) {
  return format_time(time);
}

Json terminated_state(const Instance& instance) {
  const ContainerExit& exit = *instance.exit;
  Json state{{"exitCode", exit.code}};
  state["reason"] = !exit.error.empty()  ? "StartError"
                    : exit.out_of_memory ? "OOMKilled"
                    : exit.code == 0     ? "Completed"
                                         : "Error";
  const std::string& message = exit.error.empty() ? instance.message : exit.error;
  if (!message.empty()) state["message"] = message;
  state["startedAt"] = stamp(exit.started.value_or(Time{}));
  state["finishedAt"] = stamp(exit.finished);
  state["containerID"] = instance.id;
  return Json{{"terminated", std::move(state)}};
}

Json waiting_state(std::string_view reason, std::string_view message) {
  Json state{{"reason", reason}};
  if (!message.empty()) state["message"] = message;
  return Json{{"waiting", std::move(state)}};
}

Json state_of(const ContainerView& container, bool initialized) {
  if (!container.waiting_reason.empty()) {
    return waiting_state(container.waiting_reason, container.waiting_message);
  }
  if (container.has_ended()) return terminated_state(*container.current);
  if (container.is_running()) {
    return Json{{"running", {{"startedAt", stamp(*container.current->started)}}}};
  }
  const bool waits_for_init = is_main(container) && !initialized;
  return waiting_state(waits_for_init ? "PodInitializing" : "ContainerCreating", "");
}

// While a container waits to be run again, its last state is the run that ended.
const Instance* last_of(const ContainerView& container) {
  if (!container.waiting_reason.empty() && container.has_ended()) return &*container.current;
  return container.last ? &*container.last : nullptr;
}

Json mounts_of(const Json& spec) {
  Json mounts = Json::array();
  for (const Json& mount : array_at(spec, "/volumeMounts")) {
    Json shown{{"name", text_at(mount, "/name")}, {"mountPath", text_at(mount, "/mountPath")}};
    if (true_at(mount, "/readOnly")) {
      shown["readOnly"] = true;
      shown["recursiveReadOnly"] = "Disabled";
    }
    mounts.push_back(std::move(shown));
  }
  return mounts;
}

Json container_status(const ContainerView& container, bool initialized, bool deleting) {
  const Json state = state_of(container, initialized);
  // The kubelet keeps one dead run, the one in the status; those of a deleted pod are left alone.
  // An interrupted run is kept beside it, because nothing but `local down` made two of one.
  const bool interrupted = container.last && container.last->interrupted;
  const bool kept = deleting || interrupted || find(state, "/terminated") == nullptr;
  const Instance* last = kept ? last_of(container) : nullptr;
  Json status{{"name", container.name()}, {"state", state}};
  status["lastState"] = last != nullptr && last->exit ? terminated_state(*last) : Json::object();
  status["ready"] =
      container.role == ContainerRole::init ? container.has_succeeded() : container.is_running();
  status["restartCount"] = container.current ? container.current->attempt : 0;
  status["image"] = text_at(container.spec, "/image");
  status["imageID"] = "";
  if (container.current && (container.current->started || container.current->exit)) {
    status["containerID"] = container.current->id;
  }
  status["started"] = container.is_running();
  if (const Json* requests = find(container.spec, "/resources/requests")) {
    status["allocatedResources"] = *requests;
  }
  if (container.current) {
    const Json* resources = find(container.spec, "/resources");
    status["resources"] = resources ? *resources : Json::object();
  }
  if (Json mounts = mounts_of(container.spec); !mounts.empty()) {
    status["volumeMounts"] = std::move(mounts);
  }
  return status;
}

std::string names_of(const std::vector<std::string>& names) {
  return cat("[", join(names, " "), "]");
}

Json condition(std::string_view type, bool status, std::string_view reason = "",
               std::string_view message = "") {
  Json made{{"type", type}, {"status", status ? "True" : "False"}};
  if (!reason.empty()) made["reason"] = reason;
  if (!message.empty()) made["message"] = message;
  return made;
}

// True when every init container has succeeded, and every sidecar has started.
bool is_initialized(const PodView& view) {
  return std::ranges::all_of(view.containers, is_done_before_main);
}

Json initialized_condition(const PodView& view, std::string_view phase) {
  if (phase == "Succeeded") return condition("Initialized", true, "PodCompleted");
  if (is_initialized(view)) return condition("Initialized", true);
  std::vector<std::string> names;
  for (const auto& container : view.containers) {
    if (!is_done_before_main(container)) names.push_back(container.name());
  }
  return condition("Initialized", false, "ContainersNotInitialized",
                   cat("containers with incomplete status: ", names_of(names)));
}

Json ready_condition(std::string_view type, const PodView& view, std::string_view phase) {
  if (phase == "Succeeded") return condition(type, false, "PodCompleted");
  if (phase == "Failed") return condition(type, false, "PodFailed");
  std::vector<std::string> names;
  for (const auto& container : view.containers) {
    const bool counts = container.role != ContainerRole::init;
    if (counts && !container.is_running()) names.push_back(container.name());
  }
  if (names.empty()) return condition(type, true);
  return condition(type, false, "ContainersNotReady",
                   cat("containers with unready status: ", names_of(names)));
}

}  // namespace

bool has_failed_init(const PodView& view, std::string_view policy) {
  return std::ranges::any_of(view.containers, [policy](const ContainerView& container) {
    return container.role == ContainerRole::init && container.has_ended() &&
           !container.has_succeeded() && !will_restart(container, policy);
  });
}

std::string pod_phase(const Json& pod, const PodView& view) {
  if (!view.reason.empty() && view.has_ended) return "Failed";
  const std::string policy = view.has_ended ? "Never" : restart_policy(pod);
  if (has_failed_init(view, policy)) return "Failed";
  if (!is_initialized(view)) return view.has_ended ? "Failed" : "Pending";
  bool all_succeeded = true;
  bool any_runs = false;
  bool any_again = false;
  for (const ContainerView& container : view.containers) {
    any_runs = any_runs || container.is_running();
    if (!is_main(container)) continue;
    const bool has_ended = container.has_ended() || container.last.has_value();
    if (!container.is_running() && !has_ended) return view.has_ended ? "Failed" : "Pending";
    all_succeeded = all_succeeded && container.has_succeeded();
    any_again = any_again || !container.has_ended() || will_restart(container, policy);
  }
  any_again = any_again && !view.has_ended;
  if (any_runs || any_again) return "Running";
  return all_succeeded ? "Succeeded" : "Failed";
}

void set_condition(Json& conditions, const Json& pod, Json condition, Time now) {
  const std::string type = text_at(condition, "/type");
  std::string since = stamp(now);
  for (const Json& old : array_at(pod, "/status/conditions")) {
    const bool same =
        text_at(old, "/type") == type && text_at(old, "/status") == text_at(condition, "/status");
    if (same) since = text_at(old, "/lastTransitionTime", since);
  }
  Json whole{{"type", type}};
  if (const auto generation = int_at(pod, "/metadata/generation")) {
    whole["observedGeneration"] = *generation;
  }
  whole["status"] = text_at(condition, "/status");
  whole["lastProbeTime"] = nullptr;
  whole["lastTransitionTime"] = since;
  for (const std::string_view name : {"reason", "message"}) {
    if (const auto text = text_at(condition, cat("/", name)); !text.empty()) {
      whole[std::string(name)] = text;
    }
  }
  for (Json& old : conditions) {
    if (text_at(old, "/type") != type) continue;
    old = std::move(whole);
    return;
  }
  conditions.push_back(std::move(whole));
}

Json pod_status(const Json& pod, const PodView& view, Time now) {
  const std::string phase =
      view.holds_phase ? text_at(pod, "/status/phase", "Pending") : pod_phase(pod, view);
  const bool over = phase == "Succeeded" || phase == "Failed";
  Json conditions = Json::array();
  const auto set = [&](Json made) { set_condition(conditions, pod, std::move(made), now); };
  set(condition("PodReadyToStartContainers", view.has_volumes && !over));
  set(initialized_condition(view, phase));
  set(ready_condition("Ready", view, phase));
  set(ready_condition("ContainersReady", view, phase));
  set(condition("PodScheduled", true));

  Json status;
  if (const auto generation = int_at(pod, "/metadata/generation")) {
    status["observedGeneration"] = *generation;
  }
  status["phase"] = phase;
  status["conditions"] = std::move(conditions);
  if (!view.message.empty()) status["message"] = view.message;
  if (!view.reason.empty()) status["reason"] = view.reason;
  status["hostIP"] = "127.0.0.1";
  status["hostIPs"] = Json::array({Json{{"ip", "127.0.0.1"}}});
  if (view.has_volumes) {
    status["podIP"] = "127.0.0.1";
    status["podIPs"] = Json::array({Json{{"ip", "127.0.0.1"}}});
  }
  status["startTime"] = text_at(pod, "/status/startTime", stamp(now));
  Json init = Json::array();
  Json main = Json::array();
  const bool initialized = is_initialized(view);
  const bool deleting = kube::is_being_deleted(pod);
  for (const auto& container : view.containers) {
    (is_main(container) ? main : init)
        .push_back(container_status(container, initialized, deleting));
  }
  std::sort(main.begin(), main.end(),
            [](const Json& a, const Json& b) { return text_at(a, "/name") < text_at(b, "/name"); });
  if (!init.empty()) status["initContainerStatuses"] = std::move(init);
  status["containerStatuses"] = std::move(main);
  status["qosClass"] = text_at(pod, "/status/qosClass", std::string(quality_of_service(pod)));
  return status;
}

}  // namespace trainctl::local
