// Checks containers, their variables, resources and mounts.
#include "job/manifest/check_pod.h"

#include <set>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "job/kind/names.h"
#include "job/manifest/check_fault.h"
#include "job/manifest/flag_values.h"

namespace trainctl::job {

namespace {

// A container: its pointer, its JSON, and the manifest around it.
struct Place {
  const Json& manifest;
  std::string pointer;
  const Json& value;
};

Status check_env(const Place& container) {
  const Json& variables = array_at(container.value, "/env");
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string place = cat(container.pointer, "/env/", i);
    const std::string name = text_at(variables[i], "/name");
    if (const auto fault = variable_name_fault(name); !fault.empty()) {
      return manifest_fault(place, cat("the name '", printable_line(name), "' ", fault));
    }
    const Json* value = find(variables[i], "/value");
    if (value != nullptr && !value->is_string() && !value->is_null()) {
      return manifest_fault(place, cat("the value of ", name, " is not text"), "put it in quotes");
    }
  }
  return {};
}

// A quantity may be written as a number.
std::string amount_text(const Json& amount) {
  return amount.is_string() ? amount.get<std::string>() : dump(amount);
}

Status check_amounts(const Place& container, const std::string& section) {
  for (const auto& [name, amount] : object_at(container.value, "/resources/" + section).items()) {
    const std::string place =
        cat(container.pointer, "/resources/", section, '/', pointer_step(name));
    const std::string text = amount_text(amount);
    if (auto checked = checked_quantity(text); !checked) {
      return manifest_fault(place, checked.error().message, checked.error().hint);
    }
    const bool is_device = name.find('/') != std::string::npos;
    if (is_device && quantity_milli(text) % 1000 != 0) {
      return manifest_fault(place, cat(text, " is not a whole number"),
                            "devices cannot be shared by fractions");
    }
  }
  return {};
}

Status check_resources(const Place& container) {
  TRY(check_amounts(container, "limits"));
  TRY(check_amounts(container, "requests"));
  const Json& limits = object_at(container.value, "/resources/limits");
  for (const auto& [name, request] : object_at(container.value, "/resources/requests").items()) {
    const std::string place = cat(container.pointer, "/resources/requests/", pointer_step(name));
    const bool is_device = name.find('/') != std::string::npos;
    if (!limits.contains(name)) {
      if (is_device) return manifest_fault(place, "has no limit", "write the count under limits");
      continue;
    }
    const std::string limit = amount_text(limits[name]);
    const std::string asked = amount_text(request);
    if (quantity_milli(asked) > quantity_milli(limit)) {
      return manifest_fault(place, cat(asked, " is more than the limit of ", limit));
    }
    if (is_device && quantity_milli(asked) != quantity_milli(limit)) {
      return manifest_fault(place, cat(asked, " differs from the limit of ", limit));
    }
  }
  return {};
}

Status check_mounts(const Place& container, const std::set<std::string>& volumes) {
  std::set<std::string> paths;
  const Json& mounts = array_at(container.value, "/volumeMounts");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string place = cat(container.pointer, "/volumeMounts/", i);
    const std::string name = text_at(mounts[i], "/name");
    const std::string path = text_at(mounts[i], "/mountPath");
    if (!volumes.contains(name)) {
      return manifest_fault(place, cat("the pod has no volume '", printable_line(name), "'"));
    }
    if (path.empty()) return manifest_fault(place, "has no mountPath");
    if (!paths.insert(path).second) {
      return manifest_fault(place, cat(printable_line(path), " is mounted twice"));
    }
  }
  return {};
}

// Within a volume, wherever modes of files stand. YAML takes 0644 as octal and 644 as decimal.
Status check_modes(const Json& value, const std::string& pointer) {
  constexpr std::int64_t k_most = 0777;
  if (!value.is_structured()) return {};
  for (const auto& [key, field] : value.items()) {
    const std::string place = cat(pointer, '/', pointer_step(key));
    TRY(check_modes(field, place));
    if ((key != "mode" && key != "defaultMode") || !field.is_number_integer()) continue;
    const auto mode = field.get<std::int64_t>();
    if (mode >= 0 && mode <= k_most) continue;
    return manifest_fault(place, cat(mode, " is not a file mode from 0 to 0777"),
                          "modes are octal: write 0644");
  }
  return {};
}

Status check_container(const Place& container) {
  const std::string name = text_at(container.value, "/name");
  if (const auto fault = dns_label_fault(name); !fault.empty()) {
    return manifest_fault(container.pointer, cat("the name '", printable_line(name), "' ", fault));
  }
  if (trim(text_at(container.value, "/image")).empty()) {
    return manifest_fault(container.pointer, cat("container ", name, " has no image"),
                          "--image IMAGE");
  }
  TRY(check_field(container.manifest, container.pointer + "/image", check_image));
  TRY(check_field(container.manifest, container.pointer + "/imagePullPolicy", check_pull_policy));
  TRY(check_env(container));
  return check_resources(container);
}

Status check_containers(const Kind& kind, const Place& pod) {
  std::set<std::string> volumes;
  for (const Json& volume : array_at(pod.value, "/volumes")) {
    volumes.insert(text_at(volume, "/name"));
  }
  TRY(check_modes(array_at(pod.value, "/volumes"), pod.pointer + "/volumes"));
  const std::string pointer = pod.pointer + "/containers";
  const Json& containers = array_at(pod.value, "/containers");
  if (containers.empty()) return manifest_fault(pointer, "there are none");
  std::set<std::string> names;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Place container{pod.manifest, cat(pointer, '/', i), containers[i]};
    TRY(check_container(container));
    TRY(check_mounts(container, volumes));
    if (!names.insert(text_at(containers[i], "/name")).second) {
      return manifest_fault(container.pointer, "has the name of another container");
    }
  }
  if (!kind.container_required || names.contains(std::string(kind.container))) return {};
  return manifest_fault(
      pointer, cat("none is named ", kind.container),
      cat("the operator looks for it: name the training container ", kind.container));
}

}  // namespace

Status check_pod(const Kind& kind, const Json& manifest, const Replica& replica) {
  TRY(check_metadata(manifest, replica.pointer + std::string(k_pod_metadata)));
  const Json& pod = object_at(*replica.spec, k_pod_spec);
  return check_containers(kind, {manifest, replica.pointer + std::string(k_pod_spec), pod});
}

}  // namespace trainctl::job
