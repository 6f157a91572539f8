// Finds volumes and references of a manifest, named as in the flags that create them.
#include "job/manifest/sources.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

namespace {

struct VolumeKind {
  std::string_view member;  // field of the volume
  std::string_view name;    // pointer within that field
  std::string_view kind;
};
constexpr std::array<VolumeKind, 6> k_volume_kinds = {{
    {"persistentVolumeClaim", "/claimName", "claim"},
    {"secret", "/secretName", "secret"},
    {"configMap", "/name", "config map"},
    {"hostPath", "/path", "host directory"},
    {"emptyDir", "/sizeLimit", "empty directory"},
    {"ephemeral", "/volumeClaimTemplate/spec/resources/requests/storage", "claim of its own"},
}};

Source source_of_volume(const Json& volume) {
  for (const VolumeKind& each : k_volume_kinds) {
    const Json* found = find(volume, cat('/', each.member));
    if (found == nullptr) continue;
    const bool in_memory = text_at(*found, "/medium") == "Memory";
    return {in_memory ? "memory" : std::string(each.kind), text_at(*found, each.name), "", {}};
  }
  if (const Json* nfs = find(volume, "/nfs")) {
    return {"NFS", cat(text_at(*nfs, "/server"), ":", text_at(*nfs, "/path")), "", {}};
  }
  for (const auto& [member, value] : volume.items()) {
    if (member != "name") return {member, "", "", {}};
  }
  return {};
}

class Collection {
 public:
  void add(Source source, std::string_view role) {
    const auto same = std::ranges::find_if(all, [&source](const Source& other) {
      return other.kind == source.kind && other.name == source.name && other.place == source.place;
    });
    Source& kept = same == all.end() ? all.emplace_back(std::move(source)) : *same;
    if (kept.roles.empty() || kept.roles.back() != role) kept.roles.emplace_back(role);
  }

  std::vector<Source> all;
};

void add_volumes(const Json& pod, const Json& container, std::string_view role,
                 Collection& collection) {
  for (const Json& volume : array_at(pod, "/volumes")) {
    for (const Json& mount : array_at(container, "/volumeMounts")) {
      if (text_at(mount, "/name") != text_at(volume, "/name")) continue;
      Source source = source_of_volume(volume);
      source.place = text_at(mount, "/mountPath");
      if (true_at(mount, "/readOnly")) source.place += " (read-only)";
      collection.add(std::move(source), role);
    }
  }
}

void add_variables(const Json& container, std::string_view role, Collection& collection) {
  for (const Json& variable : array_at(container, "/env")) {
    const std::string place = "variable " + text_at(variable, "/name");
    if (const Json* from = find(variable, "/valueFrom/secretKeyRef")) {
      collection.add({"secret", text_at(*from, "/name"), place, {}}, role);
    } else if (const Json* map = find(variable, "/valueFrom/configMapKeyRef")) {
      collection.add({"config map", text_at(*map, "/name"), place, {}}, role);
    }
  }
  for (const Json& from : array_at(container, "/envFrom")) {
    if (const Json* secret = find(from, "/secretRef")) {
      collection.add({"secret", text_at(*secret, "/name"), "variables", {}}, role);
    } else if (const Json* map = find(from, "/configMapRef")) {
      collection.add({"config map", text_at(*map, "/name"), "variables", {}}, role);
    }
  }
}

}  // namespace

std::vector<Source> sources_of(const Kind& kind, const Json& job) {
  Collection collection;
  for (const Replica& replica : replicas_of(kind, job)) {
    if (replica.role == nullptr) continue;
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    if (container == nullptr) continue;
    const std::string_view role = replica.role->prefix;
    add_volumes(object_at(*replica.spec, k_pod_spec), *container, role, collection);
    add_variables(*container, role, collection);
  }
  return std::move(collection.all);
}

}  // namespace trainctl::job
