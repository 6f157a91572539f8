// Sets the defaults that depend on several fields of a pod, and normal forms.
#include "local/api/pod_defaults.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/quantity.h"
#include "kube/client/resource.h"
#include "local/api/core_defaults.h"

namespace trainctl::local {

namespace {

constexpr std::array<std::string_view, 2> k_defaulted_lists = {"initContainers", "containers"};
constexpr std::array<std::string_view, 2> k_node_taints = {"node.kubernetes.io/not-ready",
                                                           "node.kubernetes.io/unreachable"};

struct PriorityClass {
  std::string_view name;
  std::int64_t value;
};
constexpr PriorityClass k_priority_classes[] = {{"system-cluster-critical", 2000000000},
                                                {"system-node-critical", 2000001000}};

bool tolerates(const Json& toleration, std::string_view taint) {
  const std::string key = text_at(toleration, "/key");
  const std::string effect = text_at(toleration, "/effect");
  return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
}

// A pod stays on an unreachable node for five minutes unless it says otherwise.
void tolerate_absent_nodes(Json& spec) {
  Json& list = list_in(spec, "tolerations");
  for (const std::string_view taint : k_node_taints) {
    if (std::ranges::any_of(list, [taint](const Json& each) { return tolerates(each, taint); })) {
      continue;
    }
    list.push_back(Json{{"effect", "NoExecute"},
                        {"key", taint},
                        {"operator", "Exists"},
                        {"tolerationSeconds", 300}});
  }
}

void normalize_amounts(Json& resources) {
  if (!resources.is_object()) return;
  for (const std::string_view list : {"limits", "requests"}) {
    const auto found = resources.find(std::string(list));
    if (found == resources.end() || !found->is_object()) continue;
    for (Json& amount : *found) {
      if (amount.is_number()) amount = dump(amount);
      if (amount.is_string()) amount = canonical_quantity(amount.get_ref<const std::string&>());
    }
  }
}

void complete_container(Json& container, bool host_network) {
  if (!container.is_object()) return;
  normalize_amounts(object_in(container, "resources"));
  if (container.contains("env")) {
    for (Json& variable : list_in(container, "env")) {
      // Go omits an empty string.
      if (variable.is_object() && text_at(variable, "/value", "x").empty()) variable.erase("value");
    }
  }
  if (!host_network || !container.contains("ports")) return;
  for (Json& port : list_in(container, "ports")) {
    if (const auto number = int_at(port, "/containerPort")) set_default(port, "hostPort", *number);
  }
}

void set_priority(Json& spec) {
  const std::string name = text_at(spec, "/priorityClassName");
  for (const PriorityClass& row : k_priority_classes) {
    if (row.name == name) set_default(spec, "priority", row.value);
  }
}

Json first_status(const Json& pod) {
  Json status = Json{{"phase", "Pending"}};
  if (!array_at(pod, "/spec/schedulingGates").empty()) {
    status["conditions"] =
        Json::array({Json{{"type", "PodScheduled"},
                          {"status", "False"},
                          {"lastProbeTime", nullptr},
                          {"lastTransitionTime", nullptr},
                          {"reason", "SchedulingGated"},
                          {"message", "Scheduling is blocked due to non-empty scheduling gates"}}});
  }
  status["qosClass"] = quality_of_service(pod);
  return status;
}

using Amounts = std::map<std::string, std::int64_t>;

// Adds the amounts that determine the quality of service; false when cpu and memory are not both
// set.
bool add_amounts(const Json& list, Amounts& sums) {
  int found = 0;
  for (const std::string_view name : {"cpu", "memory"}) {
    const std::int64_t amount = quantity_milli(text_at(list, cat('/', name)));
    if (amount <= 0) continue;
    sums[std::string(name)] += amount;
    ++found;
  }
  return found == 2;
}

}  // namespace

std::string_view quality_of_service(const Json& pod) {
  Amounts requests, limits;
  bool guaranteed = true;
  for (const std::string_view list : k_defaulted_lists) {
    for (const Json& container : array_at(pod, cat("/spec/", list))) {
      (void)add_amounts(object_at(container, "/resources/requests"), requests);
      if (!add_amounts(object_at(container, "/resources/limits"), limits)) guaranteed = false;
    }
  }
  if (requests.empty() && limits.empty()) return "BestEffort";
  return guaranteed && requests == limits ? "Guaranteed" : "Burstable";
}

void set_pod_defaults(Json& pod) {
  Json& spec = object_in(pod, "spec");
  const bool host_network = true_at(spec, "/hostNetwork");
  for (const std::string_view list : k_defaulted_lists) {
    if (!spec.contains(std::string(list))) continue;
    for (Json& container : list_in(spec, list)) complete_container(container, host_network);
  }
  set_default_text(spec, "serviceAccountName", "default");
  member(spec, "serviceAccount") = text_at(spec, "/serviceAccountName");
  set_priority(spec);
  tolerate_absent_nodes(spec);
  apply_core_defaults(resource_of(kube::k_pods), pod);
  member(pod, "status") = first_status(pod);
}

}  // namespace trainctl::local
