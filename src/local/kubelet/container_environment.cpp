// Builds a container's environment in the kubelet's order, and expands variables.
#include "local/kubelet/container_environment.h"

#include <algorithm>
#include <thread>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "manifest/environment.h"

namespace trainctl::local {

std::optional<std::string> data_of(const Json& object, std::string_view key) {
  const std::string step = pointer_step(key);
  const bool secret = text_at(object, "/kind") == "Secret";
  if (const Json* value = find(object, cat("/data/", step)); value && value->is_string()) {
    const auto& text = value->get_ref<const std::string&>();
    return secret ? base64_decode(text).value_or("") : text;
  }
  if (secret) return std::nullopt;
  const Json* value = find(object, cat("/binaryData/", step));
  if (!value || !value->is_string()) return std::nullopt;
  return base64_decode(value->get_ref<const std::string&>()).value_or("");
}

Variables all_data_of(const Json& object) {
  Variables all;
  for (const std::string_view part : {"/data", "/binaryData"}) {
    for (const auto& [key, value] : object_at(object, part).items()) {
      all[key] = data_of(object, key).value_or("");
    }
  }
  return all;
}

namespace {

std::string allocatable(std::string_view name) {
  if (name == "cpu") return cat(std::max(1U, std::thread::hardware_concurrency()));
  return "0";
}

}  // namespace

std::string resource_of_container(const Json& container, std::string_view resource,
                                  std::string_view divisor) {
  const auto amount = job::resource_of(container, resource, divisor);
  if (amount) return *amount;
  const auto [part, name, found] = split_once(resource, '.');
  return job::in_units(part == "limits" ? allocatable(name) : "0", divisor);
}

namespace {

struct Reference {
  std::string_view plural;  // plural of the object's kind
  std::string_view noun;    // used in "NOUN "x" not found"
  std::string_view kind;    // used in "couldn't find key k in KIND ns/x"
};
constexpr Reference k_config_map_reference{"configmaps", "configmap", "ConfigMap"};
constexpr Reference k_secret{"secrets", "secret", "Secret"};

Error config_error(std::string message) {
  return {Code::error, std::move(message)};
}

Status add_all(const Json& from, const ObjectSource& objects, Variables& values) {
  for (const auto& [pointer, reference] :
       {std::pair{"/configMapRef", k_config_map_reference}, std::pair{"/secretRef", k_secret}}) {
    const Json* chosen = find(from, pointer);
    if (!chosen) continue;
    const std::string name = text_at(*chosen, "/name");
    const auto object = objects(reference.plural, name);
    if (!object && true_at(*chosen, "/optional")) continue;
    if (!object) return config_error(cat(reference.noun, " \"", name, "\" not found"));
    for (auto& [key, value] : all_data_of(*object)) {
      values[cat(text_at(from, "/prefix"), key)] = value;
    }
  }
  return {};
}

// The referenced value; nullopt when an optional reference has no target.
Result<std::optional<std::string>> value_of_key(const Json& selector, const Reference& reference,
                                                const Json& pod, const ObjectSource& objects) {
  const std::string name = text_at(selector, "/name");
  const std::string key = text_at(selector, "/key");
  const bool optional = true_at(selector, "/optional");
  const auto object = objects(reference.plural, name);
  if (!object && optional) return std::optional<std::string>();
  if (!object) return config_error(cat(reference.noun, " \"", name, "\" not found"));
  auto value = data_of(*object, key);
  if (value || optional) return value;
  return config_error(cat("couldn't find key ", key, " in ", reference.kind, " ",
                          text_at(pod, "/metadata/namespace"), "/", name));
}

const Json& container_named(const Json& pod, std::string_view name, const Json& fallback) {
  for (const std::string_view list : {"/spec/containers", "/spec/initContainers"}) {
    for (const Json& container : array_at(pod, list)) {
      if (text_at(container, "/name") == name) return container;
    }
  }
  return fallback;
}

Result<std::optional<std::string>> value_from(const Json& from, const Json& pod,
                                              const Json& container, const ObjectSource& objects) {
  if (const Json* selector = find(from, "/configMapKeyRef")) {
    return value_of_key(*selector, k_config_map_reference, pod, objects);
  }
  if (const Json* selector = find(from, "/secretKeyRef")) {
    return value_of_key(*selector, k_secret, pod, objects);
  }
  if (const Json* field = find(from, "/fieldRef")) {
    auto value = job::field_of(pod, text_at(*field, "/fieldPath"));
    if (value) return value;
    return config_error(cat("unsupported fieldPath: ", text_at(*field, "/fieldPath")));
  }
  if (const Json* field = find(from, "/resourceFieldRef")) {
    const Json& of = container_named(pod, text_at(*field, "/containerName"), container);
    return std::optional(
        resource_of_container(of, text_at(*field, "/resource"), text_at(*field, "/divisor", "1")));
  }
  return std::optional<std::string>("");
}

}  // namespace

Result<ContainerVariables> container_variables(const Json& pod, const Json& container,
                                               const ObjectSource& objects) {
  ContainerVariables variables;
  for (const Json& from : array_at(container, "/envFrom")) {
    TRY(add_all(from, objects, variables.values));
  }
  for (const Json& variable : array_at(container, "/env")) {
    const std::string name = text_at(variable, "/name");
    const std::string value = text_at(variable, "/value");
    const Json* from = find(variable, "/valueFrom");
    if (!value.empty() || !from) {
      variables.values[name] = job::expanded(value, variables.values);
      continue;
    }
    TRY_ASSIGN(auto found, value_from(*from, pod, container, objects));
    if (!found) continue;
    if (find(*from, "/fieldRef")) variables.about_pod.push_back(name);
    variables.values[name] = std::move(*found);
  }
  return variables;
}

std::vector<std::string> command_line(const Json& container, const Variables& variables) {
  std::vector<std::string> words;
  for (const std::string_view part : {"/command", "/args"}) {
    for (const Json& word : array_at(container, part)) {
      if (word.is_string())
        words.push_back(job::expanded(word.get_ref<const std::string&>(), variables));
    }
  }
  return words;
}

}  // namespace trainctl::local
