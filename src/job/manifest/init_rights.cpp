// Walks over the roles, since each may have a training container of its own.
#include "job/manifest/init_rights.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {
namespace {

void copy_missing(const Json& container, const std::string& place, Json& init) {
  const Json* value = find(container, place);
  if (value != nullptr && find(init, place) == nullptr) set_at(init, place, *value);
}

bool serves_transfers(std::string_view variable) {
  return variable.starts_with("AWS_") || lower(variable).ends_with("_proxy");
}

void copy_variables(const Json& container, Json& init) {
  for (const Json& variable : array_at(container, "/env")) {
    const std::string_view name = view_at(variable, "/name");
    const bool is_there = std::ranges::any_of(
        array_at(init, "/env"), [name](const Json& own) { return view_at(own, "/name") == name; });
    if (serves_transfers(name) && !is_there) init["env"].push_back(variable);
  }
}

// A flag may have put a directory of a claim where the init container works.
void copy_sub_paths(const Json& container, Json& init) {
  for (Json& mount : init["volumeMounts"]) {
    for (const Json& other : array_at(container, "/volumeMounts")) {
      if (view_at(other, "/mountPath") == view_at(mount, "/mountPath")) {
        copy_missing(other, "/subPath", mount);
      }
    }
  }
}

}  // namespace

void copy_rights(const Json& container, Json& init) {
  copy_missing(container, "/imagePullPolicy", init);
  copy_missing(container, "/securityContext", init);
  for (const char* side : {"requests", "limits"}) {
    for (const char* amount : {"cpu", "memory", "ephemeral-storage"}) {
      copy_missing(container, cat("/resources/", side, '/', amount), init);
    }
  }
}

void equip(const Kind& kind, std::string_view init_names, Json& manifest) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    Json* inits = find_in(manifest, cat(replica.pointer, k_pod_spec, "/initContainers"));
    if (container == nullptr || inits == nullptr || !inits->is_array()) continue;
    for (Json& init : *inits) {
      if (!view_at(init, "/name").starts_with(init_names)) continue;
      copy_missing(*container, "/image", init);
      copy_rights(*container, init);
      copy_variables(*container, init);
      copy_sub_paths(*container, init);
    }
  }
}

}  // namespace trainctl::job
