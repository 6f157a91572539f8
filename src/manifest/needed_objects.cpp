// Finds the references by the names of their fields, wherever in a pod they stand.
#include "manifest/needed_objects.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "manifest/companions.h"
#include "manifest/manifest.h"

namespace trainctl::job {
namespace {

// A reference in the field `key`: an object whose field `name` is the name, a list of such objects,
// or with `name` "" the name itself.
struct Mention {
  std::string_view key;
  std::string_view name;
  const kube::Resource& resource;
  Need need = Need::required;
};
constexpr std::array k_mentions = {
    Mention{"configMap", "name", k_config_maps},
    Mention{"configMapRef", "name", k_config_maps},
    Mention{"configMapKeyRef", "name", k_config_maps},
    Mention{"secret", "secretName", k_secrets},
    Mention{"secret", "name", k_secrets},
    Mention{"secretRef", "name", k_secrets},
    Mention{"secretKeyRef", "name", k_secrets},
    Mention{"imagePullSecrets", "name", k_secrets, Need::image_pull},
    Mention{"persistentVolumeClaim", "claimName", k_claims},
    Mention{"serviceAccountName", "", k_service_accounts},
    Mention{"priorityClassName", "", k_priority_classes},
    Mention{"runtimeClassName", "", k_runtime_classes},
};

void add_keys(const Json& at, std::set<std::string>& keys) {
  const auto add = [&keys](const Json& holder) {
    if (std::string key = text_at(holder, "/key"); !key.empty()) keys.insert(std::move(key));
  };
  add(at);
  for (const Json& item : array_at(at, "/items")) add(item);
}

// The smaller one is the stricter.
void add(NeededObject object, std::vector<NeededObject>& needed) {
  if (object.name.empty()) return;
  const auto same = std::ranges::find_if(
      needed, [&object](const NeededObject& one) { return one.title() == object.title(); });
  if (same == needed.end()) return needed.push_back(std::move(object));
  same->need = std::min(same->need, object.need);
  same->keys.merge(object.keys);
}

void add(const Mention& mention, const Json& at, std::vector<NeededObject>& needed) {
  if (at.is_array()) {
    for (const Json& one : at) add(mention, one, needed);
    return;
  }
  NeededObject object{mention.resource,
                      text_at(at, mention.name.empty() ? "" : cat('/', mention.name)),
                      true_at(at, "/optional") ? Need::optional : mention.need};
  if (object.need == Need::required) add_keys(at, object.keys);
  add(std::move(object), needed);
}

void collect(const Json& value, std::vector<NeededObject>& needed) {
  if (value.is_array()) {
    for (const Json& one : value) collect(one, needed);
  }
  if (!value.is_object()) return;
  for (const auto& [key, field] : value.items()) {
    for (const Mention& mention : k_mentions) {
      if (key == mention.key && field.is_string() == mention.name.empty()) {
        add(mention, field, needed);
      }
    }
    collect(field, needed);
  }
}

// How to make an object of a kind.
struct Making {
  std::string_view plural;
  std::string_view command;  // completed by the object's name; "" = see `otherwise`
  std::string_view otherwise = "";
};
constexpr std::array k_makings = {
    Making{"configmaps", "kubectl create configmap"},
    Making{"secrets", "kubectl create secret generic"},
    Making{"serviceaccounts", "kubectl create serviceaccount"},
    Making{"persistentvolumeclaims", "",
           "create the claim, or list those that exist: kubectl get pvc"},
    Making{"trainingruntimes", "", "list those that exist: trainctl runtimes"},
    Making{"clustertrainingruntimes", "", "list those that exist: trainctl runtimes"},
    Making{"priorityclasses", "", "list those that exist: kubectl get priorityclasses"},
    Making{"runtimeclasses", "", "list those that exist: kubectl get runtimeclasses"},
};

}  // namespace

std::string NeededObject::title() const {
  return title_of(resource, name);
}

bool NeededObject::is_namespaced() const {
  return resource.plural != k_priority_classes.plural &&
         resource.plural != k_runtime_classes.plural &&
         resource.plural != k_cluster_training_runtimes.plural;
}

std::vector<NeededObject> needed_objects(const Json& manifest) {
  std::vector<NeededObject> needed;
  if (const Json* spec = find(manifest, "/spec")) collect(*spec, needed);
  const bool is_own = text_at(manifest, "/spec/runtimeRef/kind") == k_training_runtimes.kind;
  add({is_own ? k_training_runtimes : k_cluster_training_runtimes,
       text_at(manifest, "/spec/runtimeRef/name")},
      needed);
  return needed;
}

std::string remedy_for_missing(const NeededObject& needed, const std::string& ns) {
  const std::string place = needed.is_namespaced() ? cat(" -n ", shell_quoted(ns)) : "";
  if (needed.need == Need::image_pull) {
    return cat("kubectl create secret docker-registry ", shell_quoted(needed.name), place);
  }
  for (const Making& making : k_makings) {
    if (making.plural != needed.resource.plural) continue;
    return making.command.empty() ? cat(making.otherwise, place)
                                  : cat(making.command, ' ', shell_quoted(needed.name), place);
  }
  return "";
}

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
