// Admission of core objects, and of objects that nobody would write.
#include "local/api/admission.h"

#include <functional>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "local/api/admitting.h"

namespace admission_test {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing::local_objects;

TEST_CASE("keys that a kubelet could not read, or make a file of, are refused") {
  const Json pod = from_text(R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec: {containers: [{name: c, image: "busybox:1", env: [{name: A, value: "1"}]}]}
)");
  const auto changed = [&](const Setting& change) {
    Json object = pod;
    apply(object, change);
    return verdict(ask(object));
  };
  const std::string invalid = "422: Pod \"a\" is invalid: ";
  CHECK(changed({"/spec/x", "1"}) == invalid + "spec.x: unknown field");
  CHECK(changed({"/spec/containers/0/env/0/value", "1"}) ==
        invalid + "spec.containers[0].env[0].value: Invalid value");
  CHECK(changed({"/spec/containers/0/name", "\"../x\""}) ==
        invalid + "spec.containers[0].name: Invalid value: \"../x\"");
  CHECK(changed({"/spec/initContainers", R"([{"name":"c","image":"i"}])"}) ==
        invalid + "spec.initContainers[0].name: Duplicate value");
  CHECK(changed({"/spec/containers", "[]"}) == invalid + "spec.containers: Invalid value");
  CHECK(verdict(ask(from_text("{kind: ConfigMap, metadata: {name: a}, data: {../x: y}}"))) ==
        "422: ConfigMap \"a\" is invalid: data: Invalid value: \"../x\"");
  const Json stored = admitted(pod);
  CHECK(text_at(stored, "/spec/restartPolicy") == "Always");
  CHECK(text_at(stored, "/spec/containers/0/imagePullPolicy") == "IfNotPresent");
  CHECK(int_at(stored, "/spec/terminationGracePeriodSeconds") == 30);
}

// trainctl's check of manifests lets these pass.
TEST_CASE("jobs that webhooks and pods refuse beyond trainctl's own check are refused here") {
  const std::string container = "/spec/pytorchReplicaSpecs/Master/template/spec/containers/0";
  const std::vector<std::vector<Setting>> jobs = {
      {{"/spec/pytorchReplicaSpecs/Worker/replicas", "0"}},
      {{"/spec/runPolicy/managedBy", R"("x")"}},
      {{"/spec/elasticPolicy", "{}"}, {"/spec/pytorchReplicaSpecs/Worker", ""}},
      {{"/spec/elasticPolicy/nProcPerNode", "2"}, {"/spec/nprocPerNode", R"("2")"}},
      {{"/spec/zz", "1"}},
  };
  for (const auto& changes : jobs) {
    CHECK_MESSAGE(verdict(ask(pytorch_job(changes))).starts_with("422: "), changes[0].pointer);
  }
  const Json pod = from_text(R"(
kind: Pod
metadata: {name: a, namespace: default}
spec: {containers: [{name: c, image: i}], volumes: [{name: v, emptyDir: {}}]}
)");
  const std::vector<Setting> pods = {
      {"/spec/containers/0/ports", R"([{"containerPort":70000}])"},
      {"/spec/containers/0/ports", R"([{"containerPort":80,"name":"A_B"}])"},
      {"/spec/containers/0/ports", R"([{"containerPort":80,"protocol":"X"}])"},
      {"/spec/containers/0/env", R"([{"name":"A","valueFrom":{}}])"},
      {"/spec/containers/0/resources", R"({"limits":{"gpu":1}})"},
      {"/spec/containers/0/terminationMessagePolicy", R"("X")"},
      {"/spec/initContainers", R"([{"name":"i"}])"},
      {"/spec/volumes/-", R"({"name":"v"})"},
      {"/spec/volumes/0/name", R"("../v")"},
      {"/spec/dnsPolicy", R"("X")"},
      {"/spec/restartPolicy", R"("Foo")"},
      {"/spec/activeDeadlineSeconds", "0"},
  };
  CHECK(verdict(ask(pod)) == "admitted");
  for (const Setting& change : pods) {
    Json changed = pod;
    apply(changed, change);
    CHECK_MESSAGE(verdict(ask(changed)).starts_with("422: "), change.pointer);
  }
}

TEST_CASE("a secret's plain text is stored encoded, so that pods find it") {
  const Json stored = admitted(from_text(R"(
apiVersion: v1
kind: Secret
metadata: {name: a, namespace: default}
stringData: {key: value}
)"));
  CHECK(text_at(stored, "/data/key") == "dmFsdWU=");
  CHECK(find(stored, "/stringData") == nullptr);
  CHECK(text_at(stored, "/type") == "Opaque");
}

TEST_CASE("no object, however strange, stops the server") {
  std::mt19937 random(7);
  const std::vector<std::string> keys = {
      "metadata",  "spec",      "name",   "labels", "template", "containers",
      "replicas",  "resources", "limits", "env",    "Worker",   "pytorchReplicaSpecs",
      "runPolicy", "data"};
  const std::function<Json(int)> any = [&](int depth) -> Json {
    switch (random() % (depth > 5 ? 6 : 8)) {
      case 0:
        return nullptr;
      case 1:
        return static_cast<std::int64_t>(random()) - 1000;
      case 2:
        return 1e300;
      case 3:
        return std::string(random() % 5, static_cast<char>(random() % 256));
      case 4:
        return random() % 2 == 0;
      case 5:
        return std::numeric_limits<std::uint64_t>::max();
      case 6: {
        Json list = Json::array();
        for (unsigned i = random() % 4; i > 0; --i) list.push_back(any(depth + 1));
        return list;
      }
      default: {
        Json object = Json::object();
        for (unsigned i = random() % 5; i > 0; --i)
          object[keys[random() % keys.size()]] = any(depth + 1);
        return object;
      }
    }
  };
  int refused_ones = 0;
  for (int round = 0; round < 3000; ++round) {
    for (const ServedResource& resource : served_resources()) {
      if ((round + static_cast<int>(resource.resource.kind.size())) % 3 != 0) continue;
      Json object = any(0);
      if (round % 2 == 0 && object.is_object()) object["metadata"] = {{"name", "a"}};
      if (!object.is_object()) continue;  // body_of refuses it
      if (admit(resource, object)) ++refused_ones;
    }
  }
  CHECK(refused_ones > 1000);
}

TEST_CASE("a container's requests and a probe's rhythm are completed as a real server does") {
  const Json stored = admitted(from_text(R"(
kind: Pod
metadata: {name: a, namespace: default}
spec:
  volumes: [{name: v}]
  containers:
    - name: c
      image: registry:5000/x
      resources: {limits: {cpu: 1}}
      readinessProbe: {exec: {command: ["true"]}}
)"));
  const std::string container = "/spec/containers/0";
  CHECK(int_at(stored, container + "/resources/requests/cpu") == 1);
  CHECK(text_at(stored, container + "/imagePullPolicy") == "Always");
  CHECK(int_at(stored, container + "/readinessProbe/periodSeconds") == 10);
  CHECK(*find(stored, "/spec/volumes/0/emptyDir") == Json::object());
}

}  // namespace admission_test
