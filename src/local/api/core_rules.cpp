// The rules of core/v1 that a training job's objects can break, in the server's order and words.
#include "local/api/core_rules.h"

#include <algorithm>

#include "base/text/text.h"
#include "local/api/name_rules.h"

namespace trainctl::local {

namespace {

using Faults = std::vector<FieldFault>;
using Values = std::vector<std::string_view>;

void required(Faults& faults, const std::string& field) {
  faults.push_back({field, "Required value"});
}

void choice(Faults& faults, const Json& object, std::string_view pointer, const std::string& field,
            const Values& values) {
  const Json* found = find(object, pointer);
  if (found == nullptr) return;
  const std::string value = text_at(*found, "");
  if (std::ranges::find(values, value) != values.end()) return;
  std::vector<std::string> quoted;
  for (const std::string_view one : values) quoted.push_back(cat('"', one, '"'));
  faults.push_back({field, cat("Unsupported value: ", dump(*found),
                               ": supported values: ", join(quoted, ", "))});
}

void port_number(Faults& faults, const Json& port, std::string_view key, const std::string& path) {
  const auto number = int_at(port, cat('/', key));
  if (!number || (*number >= 1 && *number <= 65535)) return;
  faults.push_back(
      invalid_value(cat(path, '.', key), *number, "must be between 1 and 65535, inclusive"));
}

Faults service_faults(const Json& service) {
  Faults faults;
  const Json& ports = array_at(service, "/spec/ports");
  const bool needs_ports = text_at(service, "/spec/clusterIP") != "None" &&
                           text_at(service, "/spec/type") != "ExternalName";
  if (needs_ports && ports.empty()) required(faults, "spec.ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string path = cat("spec.ports[", i, ']');
    const std::string name = text_at(ports[i], "/name");
    if (name.empty() && ports.size() > 1) required(faults, path + ".name");
    if (!name.empty()) {
      for (const std::string& why : dns_label_faults(name)) {
        faults.push_back(invalid_value(path + ".name", name, why));
      }
    }
    port_number(faults, ports[i], "port", path);
    port_number(faults, ports[i], "targetPort", path);
  }
  choice(faults, service, "/spec/type", "spec.type",
         {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  return faults;
}

Faults data_faults(const Json& object) {
  Faults faults;
  for (const auto& [key, value] : object_at(object, "/data").items()) {
    for (const std::string& why : config_key_faults(key)) {
      faults.push_back(invalid_value(cat("data[", key, ']'), key, why));
    }
    if (!object_at(object, "/binaryData").contains(key)) continue;
    faults.push_back(
        invalid_value(cat("data[", key, ']'), key, "duplicate of key present in binaryData"));
  }
  for (const auto& [key, value] : object_at(object, "/binaryData").items()) {
    for (const std::string& why : config_key_faults(key)) {
      faults.push_back(invalid_value(cat("binaryData[", key, ']'), key, why));
    }
  }
  return faults;
}

Faults claim_faults(const Json& claim) {
  Faults faults;
  const Json& modes = array_at(claim, "/spec/accessModes");
  if (modes.empty()) {
    faults.push_back({"spec.accessModes", "Required value: at least 1 access mode is required"});
  }
  for (const Json& mode : modes) {
    choice(faults, mode, "", "spec.accessModes",
           {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
  }
  const Json* storage = find(claim, "/spec/resources/requests/storage");
  if (storage == nullptr) {
    required(faults, "spec.resources[storage]");
  } else if (text_at(*storage, "").starts_with('-')) {
    faults.push_back(
        invalid_value("spec.resources[storage]", *storage, "must be greater than zero"));
  }
  return faults;
}

Faults no_faults(const Json&) {
  return {};
}

struct Rules {
  std::string_view plural;
  NameRule name;
  Faults (*check)(const Json& object);
};
constexpr Rules k_rules[] = {
    {"services", dns_1035_faults, service_faults},
    {"configmaps", dns_subdomain_faults, data_faults},
    {"secrets", dns_subdomain_faults, data_faults},
    {"persistentvolumeclaims", dns_subdomain_faults, claim_faults},
    {"namespaces", dns_label_faults, no_faults},
};
constexpr Rules k_other{"", dns_subdomain_faults, no_faults};

const Rules& rules_of(const ServedResource& resource) {
  if (resource.job_kind != nullptr) return k_other;
  const auto* const row = std::ranges::find_if(
      k_rules, [&](const Rules& one) { return one.plural == resource.resource.plural; });
  return row == std::end(k_rules) ? k_other : *row;
}

}  // namespace

NameRule name_rule_of(const ServedResource& resource) {
  return rules_of(resource).name;
}

std::vector<FieldFault> core_faults(const ServedResource& resource, const Json& object) {
  return rules_of(resource).check(object);
}

}  // namespace trainctl::local
