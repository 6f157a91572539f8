// Builds a pod's row as the API server computes it: readiness, status word, restarts.
#include <algorithm>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "local/api/table_cells.h"

namespace trainctl::local {

namespace {

constexpr Column k_pod_columns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Ready"},
    {.name = "Status"},
    {.name = "Restarts"},
    {.name = "Age"},
    {.name = "IP", .priority = 1},
    {.name = "Node", .priority = 1},
    {.name = "Nominated Node", .priority = 1},
    {.name = "Readiness Gates", .priority = 1},
};

struct Summary {
  std::string status;
  int ready = 0;
  std::size_t total = 0;
  std::int64_t restarts = 0;
  std::string last_restart;  // RFC 3339 with whole seconds, so comparable as text
};

void count_restarts(Summary& summary, const Json& container) {
  summary.restarts += int_at(container, "/restartCount").value_or(0);
  summary.last_restart =
      std::max(summary.last_restart, text_at(container, "/lastState/terminated/finishedAt"));
}

// "Signal:9" or "ExitCode:1", for a runtime that gave no reason.
std::string shown_exit(const Json& terminated) {
  const auto signal = int_at(terminated, "/signal").value_or(0);
  if (signal != 0) return cat("Signal:", signal);
  return cat("ExitCode:", int_at(terminated, "/exitCode").value_or(0));
}

bool is_sidecar(const Json& pod, std::string_view name) {
  const Json& containers = array_at(pod, "/spec/initContainers");
  return std::ranges::any_of(containers, [&](const Json& container) {
    return text_at(container, "/name") == name && text_at(container, "/restartPolicy") == "Always";
  });
}

// The status word of an init container that has not finished; "" when it has.
std::string init_status(const Json& pod, const Json& container, std::size_t index) {
  const Json* terminated = find(container, "/state/terminated");
  if (terminated != nullptr && int_at(*terminated, "/exitCode") == 0) return "";
  if (is_sidecar(pod, text_at(container, "/name")) && true_at(container, "/started")) return "";
  if (terminated != nullptr) {
    const std::string reason = text_at(*terminated, "/reason");
    return cat("Init:", reason.empty() ? shown_exit(*terminated) : reason);
  }
  const std::string waits = text_at(container, "/state/waiting/reason");
  if (!waits.empty() && waits != "PodInitializing") return cat("Init:", waits);
  return cat("Init:", index, '/', array_at(pod, "/spec/initContainers").size());
}

// Returns true while init containers keep the others from starting.
bool add_init_containers(Summary& summary, Summary& sidecars, const Json& pod) {
  const Json& statuses = array_at(pod, "/status/initContainerStatuses");
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const bool sidecar = is_sidecar(pod, text_at(statuses[i], "/name"));
    count_restarts(summary, statuses[i]);
    if (sidecar) count_restarts(sidecars, statuses[i]);
    std::string word = init_status(pod, statuses[i], i);
    if (!word.empty()) {
      summary.status = std::move(word);
      return true;
    }
    const bool done = int_at(statuses[i], "/state/terminated/exitCode") == 0;
    if (sidecar && !done && true_at(statuses[i], "/ready")) ++summary.ready;
  }
  return false;
}

void add_containers(Summary& summary, const Json& pod) {
  const Json& statuses = array_at(pod, "/status/containerStatuses");
  bool runs = false;
  for (auto container = statuses.rbegin(); container != statuses.rend(); ++container) {
    count_restarts(summary, *container);
    const std::string waits = text_at(*container, "/state/waiting/reason");
    const Json* terminated = find(*container, "/state/terminated");
    if (!waits.empty()) {
      summary.status = waits;
    } else if (terminated != nullptr) {
      const std::string reason = text_at(*terminated, "/reason");
      summary.status = reason.empty() ? shown_exit(*terminated) : reason;
    } else if (true_at(*container, "/ready") && find(*container, "/state/running") != nullptr) {
      runs = true;
      ++summary.ready;
    }
  }
  if (summary.status != "Completed" || !runs) return;
  summary.status = kube::true_condition(pod, "Ready") != nullptr ? "Running" : "NotReady";
}

std::string shown_status(const Json& pod) {
  std::string status = text_at(pod, "/status/reason", text_at(pod, "/status/phase"));
  for (const Json& condition : array_at(pod, "/status/conditions")) {
    const bool gated = text_at(condition, "/type") == "PodScheduled" &&
                       text_at(condition, "/reason") == "SchedulingGated";
    if (gated) status = "SchedulingGated";
  }
  return status;
}

Summary summary_of(const Json& pod) {
  Summary summary;
  Summary sidecars;
  summary.status = shown_status(pod);
  summary.total = array_at(pod, "/spec/containers").size();
  for (const Json& container : array_at(pod, "/spec/initContainers")) {
    if (text_at(container, "/restartPolicy") == "Always") ++summary.total;
  }
  const bool initializing = add_init_containers(summary, sidecars, pod);
  if (!initializing || kube::true_condition(pod, "Initialized") != nullptr) {
    summary.restarts = sidecars.restarts;
    summary.last_restart = sidecars.last_restart;
    add_containers(summary, pod);
  }
  if (!kube::is_being_deleted(pod)) return summary;
  const std::string phase = text_at(pod, "/status/phase");
  if (text_at(pod, "/status/reason") == "NodeLost") {
    summary.status = "Unknown";
  } else if (phase != "Succeeded" && phase != "Failed") {
    summary.status = "Terminating";
  }
  return summary;
}

std::string readiness_gates(const Json& pod) {
  const Json& gates = array_at(pod, "/spec/readinessGates");
  if (gates.empty()) return "<none>";
  const auto open = std::ranges::count_if(gates, [&](const Json& gate) {
    return kube::true_condition(pod, text_at(gate, "/conditionType")) != nullptr;
  });
  return cat(open, '/', gates.size());
}

Json cells(const Json& pod, Time now) {
  const Summary summary = summary_of(pod);
  std::string restarts = cat(summary.restarts);
  const auto last = parse_time(summary.last_restart);
  if (summary.restarts != 0 && last) restarts += cat(" (", format_age(now - *last), " ago)");
  return Json::array({text_at(pod, "/metadata/name"), cat(summary.ready, '/', summary.total),
                      summary.status, restarts, age_of(pod, now),
                      text_or(pod, "/status/podIPs/0/ip", "<none>"),
                      text_or(pod, "/spec/nodeName", "<none>"),
                      text_or(pod, "/status/nominatedNodeName", "<none>"), readiness_gates(pod)});
}

Json conditions(const Json& pod) {
  const std::string phase = text_at(pod, "/status/phase");
  if (phase != "Succeeded" && phase != "Failed") return nullptr;
  const std::string_view message =
      phase == "Failed" ? "The pod failed." : "The pod has completed successfully.";
  return Json::array(
      {{{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}}});
}

}  // namespace

RowView pod_rows() {
  return {k_pod_columns, cells, conditions};
}

}  // namespace trainctl::local
