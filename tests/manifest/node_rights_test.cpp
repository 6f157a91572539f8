// A right that reaches beyond a container must not hide in a field that nobody looks at.
#include "manifest/node_rights.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/objects.h"

namespace trainctl::job {
namespace node_rights_test {

using trainctl::testing::yaml;

TEST_CASE("every right on a node is found, in whatever part of a manifest") {
  struct Row {
    const char* fields;
    const char* right;
  };
  const Row rows[] = {
      {"hostPID: true", "hostPID"},
      {"hostIPC: true", "hostIPC"},
      {"hostNetwork: true", "hostNetwork"},
      {"containers: [{securityContext: {privileged: true}}]", "privileged"},
      {"initContainers: [{securityContext: {privileged: true}}]", "privileged"},
      {"ephemeralContainers: [{securityContext: {allowPrivilegeEscalation: true}}]",
       "allowPrivilegeEscalation"},
      {"containers: [{securityContext: {capabilities: {add: [SYS_ADMIN]}}}]",
       "capability SYS_ADMIN"},
      {"containers: [{securityContext: {procMount: Unmasked}}]", "procMount Unmasked"},
      {"containers: [{ports: [{hostPort: 22}]}]", "hostPort 22"},
      {"containers: [{volumeMounts: [{mountPropagation: Bidirectional}]}]",
       "mountPropagation Bidirectional"},
      {"securityContext: {runAsUser: 0}", "runAsUser 0"},
      {"securityContext: {seccompProfile: {type: Unconfined}}", "seccompProfile Unconfined"},
      {"securityContext: {windowsOptions: {hostProcess: true}}", "hostProcess"},
      {"volumes: [{name: root, hostPath: {path: /}}]", "hostPath /"},
      {"volumes: [{name: home, nfs: {server: nas, path: /home}}]", "nfs nas"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.fields);
    for (const char* place : {"spec: {pytorchReplicaSpecs: {Worker: {template: {spec: {",
                              "spec: {runtimePatches: [{a: {b: {c: {"}) {
      const bool in_list = std::string_view(place).find('[') != std::string_view::npos;
      const Json manifest = yaml(cat(place, row.fields, in_list ? "}}}}]}" : "}}}}}"));
      CHECK(node_rights(manifest) == std::vector<std::string>{row.right});
    }
  }
  const Json pod = yaml(
      "{hostPID: false, containers: [{securityContext: {procMount: Default}, "
      "volumeMounts: [{mountPropagation: None}]}]}");
  CHECK(node_rights(pod).empty());
  CHECK(node_rights(yaml("{metadata: {annotations: "
                         "{container.apparmor.security.beta.kubernetes.io/a: unconfined}}}")) ==
        std::vector<std::string>{"container.apparmor.security.beta.kubernetes.io/a unconfined"});
}

TEST_CASE("a TrainJob's program is its trainer's, whatever a queue adds") {
  const Kind& kind = *find_kind("trainjob");
  const char* submitted = R"(
spec: {runtimeRef: {name: torch}, trainer: {image: i, command: [a], numNodes: 2}})";
  const char* served = R"(
spec: {suspend: false, managedBy: m, runtimeRef: {name: torch, kind: ClusterTrainingRuntime,
       apiGroup: trainer.kubeflow.org}, trainer: {numNodes: 4, image: i, command: [a]},
  runtimePatches: [{manager: kueue, time: t, trainingRuntimeSpec: {template: {spec:
      {replicatedJobs: [{name: node, template: {spec: {nodeSelector: {a: b}}}}]}}}}],
  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {nodeSelector: {pool: a}}}]})";
  const Json program = program_of_pods(kind, yaml(submitted));
  CHECK(dump(program) == dump(program_of_pods(kind, yaml(served))));
  for (const char* change :
       {"/spec/trainer/image", "/spec/runtimeRef/name", "/spec/runtimeRef/kind",
        "/spec/podTemplateOverrides/0/spec/serviceAccountName"}) {
    CAPTURE(change);
    Json forged = yaml(served);
    set_at(forged, change, "evil");
    CHECK(dump(program) != dump(program_of_pods(kind, forged)));
  }
}

}  // namespace node_rights_test
}  // namespace trainctl::job
