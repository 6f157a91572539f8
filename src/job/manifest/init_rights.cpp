// Walks over the roles, since each may have a training container of its own.
#include "job/manifest/init_rights.h"

#include "base/text/text.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {
namespace {

void copy_missing(const Json& container, const std::string& place, Json& init) {
  const Json* value = find(container, place);
  if (value != nullptr && find(init, place) == nullptr) set_at(init, place, *value);
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

void copy_rights(const Kind& kind, std::string_view init_name, Json& manifest) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const Json* container = find_container(*replica.spec, training_container(kind, *replica.spec));
    Json* inits = find_in(manifest, cat(replica.pointer, k_pod_spec, "/initContainers"));
    if (container == nullptr || inits == nullptr || !inits->is_array()) continue;
    for (Json& init : *inits) {
      if (view_at(init, "/name") == init_name) copy_rights(*container, init);
    }
  }
}

}  // namespace trainctl::job
