// The objects that every cluster and every namespace has from the beginning.
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "local/api/admission.h"
#include "local/api/api.h"
#include "local/api/garbage.h"
#include "local/api/handlers.h"
#include "local/api/pod_rules.h"
#include "local/api/query.h"
#include "local/store/object_form.h"
#include "local/store/store.h"

namespace trainctl::local {

namespace {

constexpr std::string_view k_certificate_note =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

void create_if_missing(Store& store, std::string_view plural, std::string_view ns, Json object) {
  const ServedResource* resource = find_resource("", "v1", plural);
  if (resource == nullptr || store.get(*resource, ns, text_at(object, "/metadata/name"))) return;
  (void)store.create(*resource, std::move(object));
}

}  // namespace

void populate_namespace(Store& store, std::string_view ns) {
  create_if_missing(store, "serviceaccounts", ns,
                    {{"metadata", {{"name", "default"}, {"namespace", ns}}}});
  create_if_missing(store, "configmaps", ns,
                    {{"metadata",
                      {{"name", "kube-root-ca.crt"},
                       {"namespace", ns},
                       {"annotations", {{"kubernetes.io/description", k_certificate_note}}}}},
                     {"data", {{"ca.crt", ""}}}});
}

void seed(Store& store) {
  for (const char* name : {"default", "kube-system"}) {
    Json ns = {{"metadata", {{"name", name}}}};
    set_at(ns, "/metadata/labels/kubernetes.io~1metadata.name", name);
    if (auto birth = parse_json(resource_of(kube::k_namespaces).at_birth, "row")) {
      ns.merge_patch(*birth);
    }
    create_if_missing(store, "namespaces", "", std::move(ns));
    populate_namespace(store, name);
  }
}

}  // namespace trainctl::local
