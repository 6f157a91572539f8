// Implements admission and validation of new pods with kube-apiserver's messages.
#include "local/api/pod_check.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "kube/object/metadata.h"
#include "local/api/name_rules.h"
#include "local/api/object_meta.h"

namespace trainctl::local {

namespace {

using Faults = std::vector<FieldFault>;

constexpr std::array<std::string_view, 3> k_restart_policies = {"Always", "OnFailure", "Never"};
constexpr std::array<std::string_view, 3> k_pull_policies = {"Always", "IfNotPresent", "Never"};
constexpr std::array<std::string_view, 2> k_message_policies = {"File", "FallbackToLogsOnError"};
constexpr std::array<std::string_view, 4> k_dns_policies = {"ClusterFirstWithHostNet",
                                                            "ClusterFirst", "Default", "None"};
constexpr std::array<std::string_view, 3> k_protocols = {"SCTP", "TCP", "UDP"};
constexpr std::array<std::string_view, 2> k_built_in_classes = {"system-cluster-critical",
                                                                "system-node-critical"};

FieldFault required(const std::string& field) {
  return {field, "Required value"};
}

void check_choice(Faults& faults, const std::string& field, const std::string& value,
                  std::span<const std::string_view> choices) {
  if (std::ranges::find(choices, value) != choices.end()) return;
  std::vector<std::string> quoted;
  for (const std::string_view choice : choices) quoted.push_back(cat('"', choice, '"'));
  faults.push_back(
      {field, cat("Unsupported value: ", dump(value), ": supported values: ", join(quoted, ", "))});
}

void check_number(Faults& faults, const std::string& field, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return;
  faults.push_back(invalid_value(field, value, cat("must be between 1 and ", most, ", inclusive")));
}

void check_name(Faults& faults, const std::string& field, const std::string& name,
                std::set<std::string>& known) {
  if (name.empty()) return faults.push_back(required(field));
  for (const std::string& why : dns_label_faults(name)) {
    faults.push_back(invalid_value(field, name, why));
  }
  if (!known.insert(name).second) {
    faults.push_back({field, cat("Duplicate value: ", dump(name))});
  }
}

std::vector<std::string> port_name_faults(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z'); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::vector<std::string> faults;
  if (name.size() > 15) faults.push_back("must be no more than 15 characters");
  if (!std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c) || c == '-'; })) {
    faults.push_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!std::ranges::any_of(name, is_letter)) {
    faults.push_back("must contain at least one letter (a-z)");
  }
  if (name.find("--") != std::string::npos) {
    faults.push_back("must not contain consecutive hyphens");
  }
  if (name.starts_with('-') || name.ends_with('-')) {
    faults.push_back("must not begin or end with a hyphen");
  }
  return faults;
}

void check_ports(Faults& faults, const std::string& field, const Json& ports) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string place = cat(field, '[', i, ']');
    const std::string name = text_at(ports[i], "/name");
    const auto wrong = name.empty() ? std::vector<std::string>() : port_name_faults(name);
    for (const std::string& why : wrong) {
      faults.push_back(invalid_value(place + ".name", name, why));
    }
    if (!name.empty() && wrong.empty() && !names.insert(name).second) {
      faults.push_back({place + ".name", cat("Duplicate value: ", dump(name))});
    }
    const auto number = int_at(ports[i], "/containerPort").value_or(0);
    if (number == 0) faults.push_back(required(place + ".containerPort"));
    if (number != 0) check_number(faults, place + ".containerPort", number, 65535);
    check_choice(faults, place + ".protocol", text_at(ports[i], "/protocol"), k_protocols);
  }
}

bool is_variable_name(const std::string& name) {
  return std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

void check_environment(Faults& faults, const std::string& field, const Json& variables) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string place = cat(field, '[', i, ']');
    const std::string name = text_at(variables[i], "/name");
    if (name.empty()) faults.push_back(required(place + ".name"));
    if (!is_variable_name(name)) {
      faults.push_back(invalid_value(place + ".name", name,
                                     "a valid environment variable name must consist only of "
                                     "printable ASCII characters other than '='"));
    }
    const Json* source = find(variables[i], "/valueFrom");
    if (source == nullptr || !source->is_object()) continue;
    if (source->empty()) {
      faults.push_back(invalid_value(place + ".valueFrom", "",
                                     "must specify one of: `fieldRef`, `resourceFieldRef`, "
                                     "`configMapKeyRef` or `secretKeyRef`"));
    } else if (!text_at(variables[i], "/value").empty()) {
      faults.push_back(invalid_value(place + ".valueFrom", "",
                                     "may not be specified when `value` is not empty"));
    }
  }
}

void check_mounts(Faults& faults, const std::string& field, const Json& mounts,
                  const std::set<std::string>& volumes) {
  std::set<std::string> paths;
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string place = cat(field, '[', i, ']');
    const std::string name = text_at(mounts[i], "/name");
    const std::string path = text_at(mounts[i], "/mountPath");
    if (name.empty()) faults.push_back(required(place + ".name"));
    if (!volumes.contains(name)) {
      faults.push_back({place + ".name", cat("Not found: ", dump(name))});
    }
    if (path.empty()) faults.push_back(required(place + ".mountPath"));
    if (!paths.insert(path).second) {
      faults.push_back(invalid_value(place + ".mountPath", path, "must be unique"));
    }
  }
}

bool overcommits(std::string_view resource) {
  const bool native = resource.find('/') == std::string_view::npos ||
                      resource.find("kubernetes.io/") != std::string_view::npos;
  return native && !resource.starts_with("hugepages-");
}

void check_amount(Faults& faults, const std::string& field, const std::string& resource,
                  const std::string& amount) {
  constexpr std::array<std::string_view, 3> k_standard_resources = {"cpu", "memory",
                                                                    "ephemeral-storage"};
  const bool qualified = resource.find('/') != std::string::npos;
  if (!qualified && !resource.starts_with("hugepages-") &&
      std::ranges::find(k_standard_resources, resource) == k_standard_resources.end()) {
    faults.push_back(
        invalid_value(field, resource, "must be a standard resource type or fully qualified"));
    faults.push_back(invalid_value(field, resource, "must be a standard resource for containers"));
  }
  if (amount.starts_with('-')) {
    faults.push_back(invalid_value(field, amount, "must be greater than or equal to 0"));
  }
  if (qualified && quantity_milli(amount) % 1000 != 0) {
    faults.push_back(invalid_value(field, amount, "must be an integer"));
  }
}

void check_resources(Faults& faults, const std::string& field, const Json& resources) {
  const Json& limits = object_at(resources, "/limits");
  for (const auto& [name, amount] : limits.items()) {
    check_amount(faults, cat(field, ".limits[", name, ']'), name, text_at(amount, ""));
  }
  for (const auto& [name, amount] : object_at(resources, "/requests").items()) {
    const std::string asked = text_at(amount, "");
    check_amount(faults, cat(field, ".requests[", name, ']'), name, asked);
    const Json* limit = find(limits, "/" + pointer_step(name));
    if (limit == nullptr) {
      if (overcommits(name)) continue;
      faults.push_back({field + ".limits",
                        "Required value: Limit must be set for non overcommitable resources"});
      continue;
    }
    const std::string most = text_at(*limit, "");
    const std::int64_t beyond = quantity_milli(asked) - quantity_milli(most);
    if (beyond == 0 || (overcommits(name) && beyond < 0)) continue;
    const std::string_view relation = overcommits(name) ? "less than or equal" : "equal";
    faults.push_back(invalid_value(field + ".requests", asked,
                                   cat("must be ", relation, " to ", name, " limit of ", most)));
  }
}

void check_containers(Faults& faults, const std::string& field, const Json& containers,
                      const std::set<std::string>& volumes, std::set<std::string>& names) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Json& container = containers[i];
    const std::string place = cat(field, '[', i, ']');
    check_name(faults, place + ".name", text_at(container, "/name"), names);
    if (text_at(container, "/image").empty()) faults.push_back(required(place + ".image"));
    check_choice(faults, place + ".terminationMessagePolicy",
                 text_at(container, "/terminationMessagePolicy"), k_message_policies);
    check_ports(faults, place + ".ports", array_at(container, "/ports"));
    check_environment(faults, place + ".env", array_at(container, "/env"));
    check_mounts(faults, place + ".volumeMounts", array_at(container, "/volumeMounts"), volumes);
    check_choice(faults, place + ".imagePullPolicy", text_at(container, "/imagePullPolicy"),
                 k_pull_policies);
    check_resources(faults, place + ".resources", object_at(container, "/resources"));
  }
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

std::vector<FieldFault> pod_faults(const Json& pod) {
  Faults faults = created_meta_faults(pod, dns_subdomain_faults);
  const Json& spec = object_at(pod, "/spec");
  std::set<std::string> volumes, names;
  const Json& volume_list = array_at(spec, "/volumes");
  for (std::size_t i = 0; i < volume_list.size(); ++i) {
    check_name(faults, cat("spec.volumes[", i, "].name"), text_at(volume_list[i], "/name"),
               volumes);
  }
  if (array_at(spec, "/containers").empty()) faults.push_back(required("spec.containers"));
  check_containers(faults, "spec.containers", array_at(spec, "/containers"), volumes, names);
  check_containers(faults, "spec.initContainers", array_at(spec, "/initContainers"), volumes,
                   names);
  check_choice(faults, "spec.restartPolicy", text_at(spec, "/restartPolicy"), k_restart_policies);
  check_choice(faults, "spec.dnsPolicy", text_at(spec, "/dnsPolicy"), k_dns_policies);
  append(faults, label_faults(object_at(spec, "/nodeSelector"), "spec.nodeSelector"));
  const std::string account = text_at(spec, "/serviceAccountName");
  for (const std::string& why : dns_subdomain_faults(account)) {
    faults.push_back(invalid_value("spec.serviceAccountName", account, why));
  }
  if (const auto seconds = int_at(spec, "/activeDeadlineSeconds")) {
    check_number(faults, "spec.activeDeadlineSeconds", *seconds, 2147483647);
  }
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
  if (!priority.empty() &&
      std::ranges::find(k_built_in_classes, priority) == k_built_in_classes.end()) {
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
