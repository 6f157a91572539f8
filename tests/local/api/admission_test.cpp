// Admission of core objects, and of objects that nobody would write.
#include "local/api/admission.h"

#include <functional>
#include <limits>
#include <random>

#include <doctest/doctest.h>

#include "local/api/admitting.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing::local_objects;

TEST_CASE("a pod's unknown fields and wrong types are refused as for any core object") {
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
  const std::string cannot = "400 BadRequest: Pod in version \"v1\" cannot be handled as a Pod: ";
  CHECK(changed({"/spec/x", "1"}) == cannot + "strict decoding error: unknown field \"spec.x\"");
  CHECK(changed({"/spec/containers/0/env/0/value", "1"}) ==
        cannot +
            "json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value "
            "of type string");
  CHECK(changed({"/spec/containers/0/resources", R"({"limits":{"cpu":"abc"}})"}) ==
        cannot +
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  const Json stored = admitted(pod).object;
  CHECK(text_at(stored, "/spec/restartPolicy") == "Always");
  CHECK(text_at(stored, "/spec/containers/0/imagePullPolicy") == "IfNotPresent");
  CHECK(int_at(stored, "/spec/terminationGracePeriodSeconds") == 30);
}

TEST_CASE("a secret's plain text is stored encoded, so that pods find it") {
  const Json stored = admitted(from_text(R"(
apiVersion: v1
kind: Secret
metadata: {name: a, namespace: default}
stringData: {key: value}
)"))
                          .object;
  CHECK(text_at(stored, "/data/key") == "dmFsdWU=");
  CHECK(find(stored, "/stringData") == nullptr);
  CHECK(text_at(stored, "/type") == "Opaque");
}

TEST_CASE("a service without an address says that it has none, as only a headless one does") {
  struct Row {
    std::string_view spec, address, addresses;
  };
  const Row rows[] = {
      {"{ports: [{port: 80}]}", "None", R"(["None"])"},
      {"{ports: [{port: 80}], clusterIP: None}", "None", R"(["None"])"},
      {"{ports: [{port: 80}], clusterIP: 10.0.0.7}", "10.0.0.7", R"(["10.0.0.7"])"},
      {"{type: ExternalName, externalName: x.y}", "", "[]"},
  };
  for (const Row& row : rows) {
    const Json stored =
        admitted(from_text(cat("{kind: Service, apiVersion: v1, metadata: {name: a, namespace: "
                               "default}, spec: ",
                               row.spec, "}")))
            .object;
    CHECK(text_at(stored, "/spec/clusterIP") == row.address);
    CHECK(dump(array_at(stored, "/spec/clusterIPs")) == row.addresses);
  }
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
      const auto answer = admit(resource, object, nullptr, FieldValidation::ignore, {});
      if (std::holds_alternative<ApiError>(answer)) ++refused_ones;
    }
  }
  CHECK(refused_ones > 1000);
}

TEST_CASE("services, claims and config maps are refused for what a real server refuses") {
  struct Row {
    std::string_view yaml;
    std::string_view expected;
  };
  const Row rows[] = {
      {"{kind: Service, metadata: {name: a, namespace: d}, spec: {clusterIP: None}}", "admitted"},
      {"{kind: Service, metadata: {name: a, namespace: d}, spec: {}}",
       "422 Invalid: Service \"a\" is invalid: spec.ports: Required value"},
      {"{kind: Service, metadata: {name: a, namespace: d}, spec: {type: X, clusterIP: None}}",
       "422 Invalid: Service \"a\" is invalid: spec.type: Unsupported value: \"X\": supported "
       "values: \"ClusterIP\", \"ExternalName\", \"LoadBalancer\", \"NodePort\""},
      {"{kind: ConfigMap, metadata: {name: a, namespace: d}, data: {..: x}}",
       "422 Invalid: ConfigMap \"a\" is invalid: data[..]: Invalid value: \"..\": must not be "
       "'..'"},
      {"{kind: PersistentVolumeClaim, metadata: {name: a, namespace: d}, spec: {}}",
       "422 Invalid: PersistentVolumeClaim \"a\" is invalid: [spec.accessModes: Required value: at "
       "least 1 access mode is required, spec.resources[storage]: Required value]"},
      {"{kind: Namespace, metadata: {name: a.b}}",
       "422 Invalid: Namespace \"a.b\" is invalid: metadata.name: Invalid value: \"a.b\": must "
       "not contain dots"},
      {"{kind: Secret, metadata: {name: a, namespace: d}, data: {a: \"%\"}}",
       "400 BadRequest: Secret in version \"v1\" cannot be handled as a Secret: illegal base64 "
       "data at input byte 0"},
  };
  for (const Row& row : rows) CHECK(verdict(ask(from_text(row.yaml))) == row.expected);
  const std::string long_name(64, 'a');
  const Json service = {{"kind", "Service"},
                        {"metadata", {{"name", long_name}, {"namespace", "d"}}},
                        {"spec", {{"clusterIP", "None"}}}};
  CHECK(verdict(ask(service)) == cat("422 Invalid: Service \"", long_name,
                                     "\" is invalid: metadata.name: Invalid value: \"", long_name,
                                     "\": must be no more than 63 characters"));
}

TEST_CASE("a container's requests and a probe's rhythm are completed as a real server does") {
  const Json stored = admitted(from_text(R"(
kind: Pod
metadata: {name: a, namespace: default}
spec:
  volumes: [{name: v}, {name: c, configMap: {name: m}}]
  containers:
    - name: c
      image: registry:5000/x
      resources: {limits: {cpu: 1}}
      readinessProbe: {httpGet: {port: 80}}
)"))
                          .object;
  const std::string container = "/spec/containers/0";
  CHECK(int_at(stored, container + "/resources/requests/cpu") == 1);
  CHECK(text_at(stored, container + "/imagePullPolicy") == "Always");
  CHECK(int_at(stored, container + "/readinessProbe/periodSeconds") == 10);
  CHECK(text_at(stored, container + "/readinessProbe/httpGet/path") == "/");
  CHECK(*find(stored, "/spec/volumes/0/emptyDir") == Json::object());
  CHECK(int_at(stored, "/spec/volumes/1/configMap/defaultMode") == 420);
}

}  // namespace TEST_FILE
