// Looks up fields by path, labels and annotations by key, and resources in units of a divisor.
#include "job/manifest/pod_fields.h"

#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "base/value/quantity.h"

namespace trainctl::job {

namespace {

struct DownwardField {
  std::string_view path;
  std::string_view pointer;
};
constexpr DownwardField k_fields[] = {
    {"metadata.name", "/metadata/name"},
    {"metadata.namespace", "/metadata/namespace"},
    {"metadata.uid", "/metadata/uid"},
    {"spec.nodeName", "/spec/nodeName"},
    {"spec.serviceAccountName", "/spec/serviceAccountName"},
    {"status.hostIP", "/status/hostIP"},
    {"status.podIP", "/status/podIP"},
    {"status.hostIPs", "/status/hostIP"},
    {"status.podIPs", "/status/podIP"},
};

// All labels or annotations, as a downwardAPI file shows them: key="value" by line, sorted.
std::string all_of_map(const Json& map) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : map.items()) lines.push_back(cat(key, "=", dump(value)));
  std::ranges::sort(lines);
  return join(lines, "\n");
}

// "metadata.labels['KEY']" gives KEY.
std::optional<std::string_view> subscript(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix) || !path.ends_with("']")) return std::nullopt;
  path.remove_prefix(prefix.size());
  if (!path.starts_with("['") || path.size() < 4) return std::nullopt;
  return path.substr(2, path.size() - 4);
}

}  // namespace

std::optional<std::string> field_of(const Json& pod, std::string_view path) {
  for (const auto& field : k_fields) {
    if (field.path == path) return text_at(pod, field.pointer);
  }
  for (const std::string_view part : {"labels", "annotations"}) {
    const std::string prefix = cat("metadata.", part);
    if (path == prefix) return all_of_map(object_at(pod, cat("/metadata/", part)));
    if (const auto key = subscript(path, prefix)) {
      return text_at(pod, cat("/metadata/", part, "/", pointer_step(*key)));
    }
  }
  return std::nullopt;
}

std::optional<std::string> resource_of(const Json& container, std::string_view resource,
                                       std::string_view divisor) {
  const auto [part, name, found] = split_once(resource, '.');
  const Json* amount = find(container, cat("/resources/", part, "/", pointer_step(name)));
  if (amount == nullptr && part == "requests") {
    amount = find(container, cat("/resources/limits/", pointer_step(name)));
  }
  if (amount == nullptr) return std::nullopt;
  return in_units(amount->is_string() ? amount->get<std::string>() : dump(*amount), divisor);
}

std::string in_units(std::string_view quantity, std::string_view divisor) {
  if (!checked_quantity(quantity)) return "0";
  const bool has_divisor = checked_quantity(divisor).has_value() && quantity_milli(divisor) > 0;
  const std::int64_t unit = has_divisor ? quantity_milli(divisor) : 1000;
  const std::int64_t value = quantity_milli(quantity);
  return cat(value / unit + (value % unit != 0 ? 1 : 0));
}

}  // namespace trainctl::job
