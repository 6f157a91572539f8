// Pods find these on this machine: volumes, claims, ports.
#include <doctest/doctest.h>

#include "base/file/small_file.h"
#include "local/kubelet/kubelet_world.h"
#include "local/kubelet/mounts.h"

namespace volumes_test {

using namespace trainctl;
using namespace trainctl::testing;

using World = KubeletWorld;

TEST_CASE("Volumes of every kind are where the spec mounts them") {
  if (!why_no_mounts().empty()) return;
  World world;
  world.add("configmaps", "m", Json{{"kind", "ConfigMap"}, {"data", {{"k", "v"}}}});
  world.add("persistentvolumeclaims", "data", Json{{"spec", {{"accessModes", {"ReadWriteOnce"}}}}});
  world.run("vol",
            "cat /trainctl-m/x; echo; cat /trainctl-d/name; echo kept > /trainctl-data/sub;"
            "echo last words > /dev/termination-log; test -w /trainctl-e && exit 3",
            "Never",
            "volumeMounts: [{name: m, mountPath: /trainctl-m}, {name: d, mountPath: /trainctl-d},"
            "{name: e, mountPath: /trainctl-e}, {name: p, mountPath: /trainctl-data, subPath: s}]",
            "volumes: [{name: m, configMap: {name: m, items: [{key: k, path: x}]}},"
            "{name: d, downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}},"
            "{name: e, emptyDir: {medium: Memory}},"
            "{name: p, persistentVolumeClaim: {claimName: data}}]");
  const Json pod = world.finished("vol");
  CHECK(world.log("vol") == "v\nvol");
  CHECK(int_at(pod, cat(k_state, "/terminated/exitCode")) == 3);
  CHECK(text_at(pod, cat(k_state, "/terminated/message")) == "last words\n");
  const auto claim = world.store->get(served("persistentvolumeclaims"), "ml", "data");
  CHECK(text_at(*claim, "/status/phase") == "Bound");
  CHECK(text_at(*claim, "/spec/storageClassName") == "local");
  CHECK(read_small_file(cat(world.place.path(), "/claims/ml/data-",
                            text_at(*claim, "/metadata/uid"), "/s/sub")) == "kept\n");
}

TEST_CASE("A claim that nobody has made is made for the first pod that names it") {
  World world;
  world.run("first", "true", "Never", "{}",
            "volumes: [{name: p, persistentVolumeClaim: {claimName: new}}]");
  CHECK(text_at(world.finished("first"), "/status/phase") == "Succeeded");
  const auto claim = world.store->get(served("persistentvolumeclaims"), "ml", "new");
  REQUIRE(claim);
  CHECK(text_at(*claim, "/status/phase") == "Bound");
  CHECK(text_at(*claim, "/status/capacity/storage") == "1Gi");
}

TEST_CASE("A missing config map volume holds a pod back, with its event") {
  World world;
  world.run("map", "true", "Never", "{}", "volumes: [{name: v, configMap: {name: nocm}}]");
  world.loop.run_until([&] {
    return world.has_event("map",
                           "FailedMount: MountVolume.SetUp failed for volume \"v\" : configmap "
                           "\"nocm\" not found");
  });
  CHECK(text_at(world.pod("map"), cat(k_state, "/waiting/reason")) == "ContainerCreating");
  world.add("configmaps", "nocm", Json{{"kind", "ConfigMap"}, {"data", {{"k", "v"}}}});
  CHECK(text_at(world.finished("map"), "/status/phase") == "Succeeded");
}

TEST_CASE("A pod whose volume cannot be mounted says why in its status") {
  World world;
  world.run("sub", "true", "Never", "volumeMounts: [{name: e, mountPath: /e, subPath: ../up}]",
            "volumes: [{name: e, emptyDir: {}}]");
  const std::string waiting = cat(k_state, "/waiting");
  world.loop.run_until([&] {
    return text_at(world.pod("sub"), cat(waiting, "/reason")) == "CreateContainerConfigError";
  });
  CHECK(text_at(world.pod("sub"), cat(waiting, "/message")) == "invalid subPath: ../up");
}

TEST_CASE("A launcher of MPI finds a program in kubectl's place that starts commands in workers") {
  if (!why_no_mounts().empty()) return;
  World world;
  world.settings.program = "/bin/echo";
  world.kubelet = nullptr;
  world.start();
  world.run("launcher",
            "/opt/trainctl-kube/kubectl exec worker-0 -- hostname; /opt/trainctl-kube/kubectl get",
            "Never", "volumeMounts: [{name: k, mountPath: /opt/trainctl-kube}]",
            "volumes: [{name: k, emptyDir: {}}]\n"
            "initContainers: [{name: kubectl-delivery, image: i,"
            "volumeMounts: [{name: k, mountPath: /opt/trainctl-kube}]}]");
  const Json pod = world.finished("launcher");
  CHECK(world.log("launcher") ==
        "exec --local --namespace ml --tree-config off worker-0 -- hostname\n"
        "kubectl get: only exec works here\n");
  CHECK(int_at(pod, cat(k_state, "/terminated/exitCode")) == 2);
}

TEST_CASE("Replicas of one job are given the same free port of this machine") {
  World world;
  const Json service{{"spec", {{"ports", Json::array({Json{{"port", 23456}}})}}}};
  world.add("services", "ddp-master-0", service);
  const std::string_view env =
      "env: [{name: MASTER_ADDR, value: ddp-master-0}, {name: MASTER_PORT, value: '23456'}]";
  for (const std::string_view name : {"ddp-master-0", "ddp-worker-0"}) {
    world.owner = "job";
    world.run(name, "echo $MASTER_ADDR:$MASTER_PORT", "Never", env);
  }
  world.owner = "other-job";
  world.run("other", "echo $MASTER_ADDR:$MASTER_PORT", "Never", env);
  for (const std::string_view name : {"ddp-master-0", "ddp-worker-0", "other"})
    world.finished(name);
  const std::string port = world.log("ddp-master-0");
  CHECK(port.starts_with("127.0.0.1:"));
  CHECK(port != "127.0.0.1:23456\n");
  CHECK(world.log("ddp-worker-0") == port);
  CHECK(world.log("other") != port);
}

}  // namespace volumes_test
