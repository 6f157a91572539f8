// Normal forms of a pod's fields, its first status, and the rules for its fields.
#include "local/api/pod_rules.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/quantity.h"
#include "kube/client/resource.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "local/api/admission.h"

namespace trainctl::local {
namespace {

constexpr std::array<std::string_view, 2> k_container_lists = {"initContainers", "containers"};
constexpr std::string_view k_priority_classes[] = {"system-cluster-critical",
                                                   "system-node-critical"};

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
  for (const std::string_view list : k_container_lists) {
    for (const Json& container : array_at(pod, cat("/spec/", list))) {
      (void)add_amounts(object_at(container, "/resources/requests"), requests);
      if (!add_amounts(object_at(container, "/resources/limits"), limits)) guaranteed = false;
    }
  }
  if (requests.empty() && limits.empty()) return "BestEffort";
  return guaranteed && requests == limits ? "Guaranteed" : "Burstable";
}

namespace {

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

}  // namespace

void set_pod_defaults(Json& pod) {
  Json& spec = object_in(pod, "spec");
  for (const std::string_view list : k_container_lists) {
    if (!spec.contains(std::string(list))) continue;
    for (Json& container : list_in(spec, list)) {
      if (container.is_object()) normalize_amounts(object_in(container, "resources"));
    }
  }
  apply_core_defaults(resource_of(kube::k_pods), pod);
  member(pod, "status") = first_status(pod);
}

namespace {

using Faults = std::vector<FieldFault>;

bool is_one_of(const std::string& value, std::initializer_list<std::string_view> choices) {
  return value.empty() || std::ranges::find(choices, value) != choices.end();
}

// "gpu" is no resource, "nvidia.com/gpu" is one.
bool is_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         name.starts_with("hugepages-") || name.find('/') != std::string_view::npos;
}

bool is_port(const Json& port) {
  constexpr std::size_t k_longest_port_name = 15;
  const std::string name = text_at(port, "/name");
  const auto number = int_at(port, "/containerPort").value_or(0);
  return number >= 1 && number <= 65535 && name.size() <= k_longest_port_name &&
         (name.empty() || kube::k_dns_label.is_form_of(name)) &&
         is_one_of(text_at(port, "/protocol"), {"TCP", "UDP", "SCTP"});
}

bool has_one_source(const Json& variable) {
  const Json* source = find(variable, "/valueFrom");
  return source == nullptr || (!source->empty() && text_at(variable, "/value").empty());
}

bool has_known_resources(const Json& container) {
  for (const char* list : {"/resources/limits", "/resources/requests"}) {
    for (const auto& [name, amount] : object_at(container, list).items()) {
      if (!is_resource(name)) return false;
    }
  }
  return true;
}

void check_container(Faults& faults, const std::string& place, const Json& container) {
  const auto check = [&](std::string_view field, bool holds) {
    if (!holds) faults.push_back({cat(place, '.', field), "Invalid value"});
  };
  check("image", !text_at(container, "/image").empty());
  check("ports", std::ranges::all_of(array_at(container, "/ports"), is_port));
  check("env", std::ranges::all_of(array_at(container, "/env"), has_one_source));
  check("resources", has_known_resources(container));
  check("terminationMessagePolicy", is_one_of(text_at(container, "/terminationMessagePolicy"),
                                              {"File", "FallbackToLogsOnError"}));
}

ApiError forbidden(const Json& pod, std::string_view why) {
  const std::string name = text_at(pod, "/metadata/name");
  return {403, "Forbidden", cat("pods \"", name, "\" is forbidden: ", why),
          Json{{"name", name}, {"kind", "pods"}}};
}

bool exists(const Store& store, const kube::Resource& resource, const std::string& ns,
            const std::string& name) {
  return store.get(resource_of(resource), ns, name) != nullptr;
}

}  // namespace

void check_name(Faults& faults, const kube::NameRule& rule, const std::string& field,
                const std::string& name) {
  if (name.size() <= rule.longest && rule.is_form_of(name)) return;
  faults.push_back({field, cat("Invalid value: \"", printable_line(name), '"')});
}

Faults pod_faults(const Json& pod) {
  const Json& spec = object_at(pod, "/spec");
  Faults faults;
  std::set<std::string> names;
  for (const char* list : {"containers", "initContainers", "volumes"}) {
    const bool is_volume = list == std::string_view("volumes");
    const Json& entries = array_at(spec, cat('/', list));
    for (std::size_t at = 0; at < entries.size(); ++at) {
      const std::string name = text_at(entries[at], "/name");
      const std::string place = cat("spec.", list, '[', at, ']');
      check_name(faults, kube::k_dns_label, place + ".name", name);
      const bool is_new = names.insert(cat(is_volume ? "v" : "c", name)).second;
      if (!is_new) faults.push_back({place + ".name", "Duplicate value"});
      if (!is_volume) check_container(faults, place, entries[at]);
    }
  }
  const auto check = [&](std::string_view field, bool holds) {
    if (!holds) faults.push_back({cat("spec.", field), "Invalid value"});
  };
  check("containers", !array_at(spec, "/containers").empty());
  check("restartPolicy",
        is_one_of(text_at(spec, "/restartPolicy"), {"Always", "OnFailure", "Never"}));
  check("dnsPolicy", is_one_of(text_at(spec, "/dnsPolicy"),
                               {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"}));
  check("activeDeadlineSeconds", int_at(spec, "/activeDeadlineSeconds").value_or(1) >= 1);
  return faults;
}

std::optional<ApiError> pod_refusal(const Store& store, const Json& pod) {
  constexpr kube::Resource k_accounts{"", "v1", "serviceaccounts", "ServiceAccount"};
  const std::string ns = text_at(pod, "/metadata/namespace");
  const auto space = store.get(resource_of(kube::k_namespaces), "", ns);
  if (space != nullptr && kube::is_being_deleted(*space)) {
    return forbidden(pod, cat("unable to create new content in namespace ", ns,
                              " because it is being terminated"));
  }
  const std::string account = text_at(pod, "/spec/serviceAccountName");
  if (account != "default" && !exists(store, k_accounts, ns, account)) {
    return forbidden(pod, cat("error looking up service account ", ns, '/', account,
                              ": serviceaccount \"", account, "\" not found"));
  }
  const std::string priority = text_at(pod, "/spec/priorityClassName");
  const bool is_known =
      std::ranges::find(k_priority_classes, priority) != std::end(k_priority_classes);
  if (!priority.empty() && !is_known) {
    return forbidden(pod, cat("no PriorityClass with name ", priority, " was found"));
  }
  const std::string runtime = text_at(pod, "/spec/runtimeClassName");
  if (!runtime.empty()) {
    return forbidden(pod, cat("pod rejected: RuntimeClass ", dump(runtime), " not found"));
  }
  const std::vector<FieldFault> faults = pod_faults(pod);
  if (faults.empty()) return std::nullopt;
  return invalid("Pod", text_at(pod, "/metadata/name"), faults);
}

}  // namespace trainctl::local
