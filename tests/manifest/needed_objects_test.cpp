// A pod that waits for an object which is not there never starts; each way to name one counts.
#include "manifest/needed_objects.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/objects.h"

namespace trainctl::testing {
namespace needed_objects_test {

Json parsed(std::string_view text) {
  return *parse_json(text, "test");
}

TEST_CASE("whatever way pods name a config map or secret, it is found, once") {
  const Json manifest = parsed(R"({"metadata": {"annotations": {"secret": "no"}}, "spec": {"pod": {
    "volumes": [{"name": "a", "configMap": {"name": "cm-volume"}},
                {"name": "b", "secret": {"secretName": "s-volume", "optional": true}},
                {"name": "c", "projected": {"sources": [{"secret": {"name": "s-projected"}},
                                                        {"configMap": {"name": "cm-volume"}}]}}],
    "containers": [{"name": "x",
      "envFrom": [{"secretRef": {"name": "s-volume"}}, {"configMapRef": {"name": "cm-env"}}],
      "env": [{"name": "secret", "value": "v"},
              {"name": "T", "valueFrom": {"secretKeyRef": {"name": "s-key", "key": "k"}}},
              {"name": "U", "valueFrom": {"configMapKeyRef": {"name": "cm-key", "key": "k",
                                                              "optional": true}}}]}]}}})");
  std::string found;
  for (const job::NeededObject& one : job::needed_objects(manifest)) {
    found += cat(one.title(), one.need == job::Need::optional ? "? " : " ");
  }
  CHECK(found ==
        "configmap/cm-volume secret/s-volume secret/s-projected configmap/cm-env secret/s-key "
        "configmap/cm-key? ");
}

TEST_CASE("classes, accounts, claims and pull secrets count as well, each with its keys") {
  const Json manifest = yaml(R"(
spec:
  serviceAccountName: trainer
  priorityClassName: high
  runtimeClassName: nvidia
  imagePullSecrets: [{name: registry}]
  volumes: [{name: a, persistentVolumeClaim: {claimName: data}},
            {name: b, secret: {secretName: hub, items: [{key: ca.crt, path: ca}]}}]
  containers: [{env: [{name: T, valueFrom: {secretKeyRef: {name: hub, key: token}}}]}]
)");
  std::string found;
  for (const job::NeededObject& one : job::needed_objects(manifest)) {
    found += one.title();
    for (const std::string& key : one.keys) found += cat(':', key);
    found += one.need == job::Need::image_pull ? "! " : " ";
  }
  CHECK(found ==
        "serviceaccount/trainer priorityclass/high runtimeclass/nvidia secret/registry! "
        "persistentvolumeclaim/data secret/hub:ca.crt:token ");
}

}  // namespace needed_objects_test
}  // namespace trainctl::testing
