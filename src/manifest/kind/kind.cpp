// Looks kinds up in the table, and reads the counts of a job's roles.
#include "manifest/kind/kind.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

bool is_same_kind(const Kind& one, const Kind& other) {
  return one.resource.group == other.resource.group && one.resource.kind == other.resource.kind;
}

}  // namespace

std::span<const Kind> operator_kinds() {
  const auto all = kinds();
  const auto end = std::ranges::find_if(
      all, [&all](const Kind& kind) { return kind.resource.group != all.front().resource.group; });
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

const Kind* successor_of(const Kind& kind) {
  const auto all = kinds();
  const auto later = all.subspan(static_cast<std::size_t>(&kind - all.data()) + 1);
  const auto found =
      std::ranges::find_if(later, [&kind](const Kind& other) { return is_same_kind(kind, other); });
  return found == later.end() ? nullptr : &*found;
}

std::vector<const Kind*> first_versions() {
  std::vector<const Kind*> all;
  for (const Kind& kind : kinds()) {
    const bool succeeds = std::ranges::any_of(
        all, [&kind](const Kind* earlier) { return is_same_kind(*earlier, kind); });
    if (!succeeds) all.push_back(&kind);
  }
  return all;
}

namespace {

// Names exactly this version of the kind, as kubectl reads it: "mpijobs.v2beta1.kubeflow.org".
std::string version_name(const Kind& kind) {
  return cat(kind.resource.plural, '.', kind.resource.version, '.', kind.resource.group);
}

}  // namespace

const Kind* find_kind(std::string_view text) {
  const std::string wanted = lower(text);
  for (const Kind& kind : kinds()) {
    const std::string singular = lower(kind.resource.kind);
    const std::array<std::string, 6> names = {std::string(kind.alias),
                                              singular,
                                              std::string(kind.resource.plural),
                                              cat(singular, '.', kind.resource.group),
                                              cat(kind.resource.plural, '.', kind.resource.group),
                                              version_name(kind)};
    if (std::ranges::find(names, wanted) != names.end()) return &kind;
  }
  return nullptr;
}

const Kind* kind_of(const Json& object) {
  const std::string api_version = text_at(object, "/apiVersion");
  const std::string name = text_at(object, "/kind");
  for (const Kind& kind : kinds()) {
    if (name == kind.resource.kind && api_version == kind.resource.api_version()) return &kind;
  }
  return nullptr;
}

const Role* find_role(const Kind& kind, std::string_view name_or_prefix) {
  for (const Role& role : kind.roles) {
    if (name_or_prefix == role.name || name_or_prefix == role.prefix) return &role;
  }
  return nullptr;
}

std::string pod_selector(const Kind* kind, std::string_view job_name) {
  const PodLabels& labels = kind == nullptr ? k_operator_labels : kind->controller.labels;
  std::string selector = cat(labels.job, '=', job_name);
  // A kind with several versions means the installed one.
  const bool is_certain = kind != nullptr && successor_of(*kind) == nullptr;
  if (!is_certain || labels.operator_name.empty()) return selector;
  return cat(selector, ',', labels.operator_name, '=', kind->operator_name);
}

std::vector<std::string_view> job_labels(std::span<const Kind* const> kinds) {
  std::vector<std::string_view> labels;
  for (const Kind* kind : kinds) {
    const std::string_view label = kind->controller.labels.job;
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

int replica_count(const Kind& kind, const Json& job, const Role& role) {
  std::string place(role.count_at);
  std::int64_t otherwise = role.default_count;
  if (!kind.replica_specs.empty()) {
    place = cat(kind.replica_specs, '/', role.name);
    if (find(job, place) == nullptr) return 0;
    place += "/replicas";
  } else if (job_status_of(kind, job, role) != nullptr) {
    otherwise = 1;
  }
  const auto count = has_known_count(kind, job, role) ? int_at(job, place) : std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(count.value_or(otherwise), 0, k_most_replicas));
}

bool has_known_count(const Kind& kind, const Json& job, const Role& role) {
  if (!kind.replica_specs.empty()) return true;
  const bool is_led = std::ranges::any_of(kind.roles, [&](const Role& other) {
    return other.leads() && job_status_of(kind, job, other) != nullptr;
  });
  return !role.count_at.empty() && !is_led && int_at(job, role.count_at).has_value();
}

const Json* job_status_of(const Kind& kind, const Json& job, const Role& role) {
  if (kind.controller.jobs_status.empty()) return nullptr;
  for (const Json& entry : array_at(job, kind.controller.jobs_status)) {
    if (text_at(entry, "/name") == role.name) return &entry;
  }
  return nullptr;
}

}  // namespace trainctl::job
