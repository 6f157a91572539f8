// Environment and arguments of containers, in the kubelet's order and with its messages.
#include "local/kubelet/container_environment.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "manifest/environment.h"

namespace container_environment_test {

using namespace trainctl;
using namespace trainctl::local;

Json json(std::string_view text) {
  return *parse_json(text, "test");
}

ObjectSource objects(std::string_view plural, std::string_view name, Json object) {
  return [=, object = std::make_shared<const Json>(std::move(object))](std::string_view kind,
                                                                       std::string_view wanted) {
    return kind == plural && wanted == name ? object : nullptr;
  };
}

const ObjectSource k_none = [](std::string_view, std::string_view) { return nullptr; };

const Json k_pod = *parse_json(R"({"metadata":{"name":"ddp-worker-0","namespace":"ml","uid":"u1",
  "labels":{"a/b":"c"},"annotations":{"x":"y"}},
  "spec":{"nodeName":"here","containers":[{"name":"c","resources":{"limits":{"cpu":"1500m"}}}]},
  "status":{"podIP":"127.0.0.1","hostIP":"127.0.0.1"}})",
                               "pod");

std::string fault_of(const Json& container, const ObjectSource& source) {
  const auto variables = container_variables(k_pod, container, source);
  return variables ? "" : variables.error().message;
}

TEST_CASE("A variable sees those before it, whatever their source, and not those after it") {
  const Json container{
      {"envFrom", Json::array({Json{{"prefix", "P_"}, {"configMapRef", {{"name", "m"}}}}})},
      {"env", Json::array({Json{{"name", "A"}, {"value", "$(P_KEY)-$(B)"}},
                           Json{{"name", "B"}, {"value", "$(A)"}},
                           Json{{"name", "P_KEY"}, {"value", "later"}}})}};
  const auto found = container_variables(
      k_pod, container, objects("configmaps", "m", json(R"({"data":{"KEY":"v"}})")));
  REQUIRE(found);
  CHECK(found->values == Variables{{"A", "v-$(B)"}, {"B", "v-$(B)"}, {"P_KEY", "later"}});
}

TEST_CASE("A pod's own fields and a container's resources reach its environment") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"metadata.name", "ddp-worker-0"},
      {"metadata.namespace", "ml"},
      {"metadata.uid", "u1"},
      {"metadata.labels['a/b']", "c"},
      {"metadata.annotations['x']", "y"},
      {"status.podIP", "127.0.0.1"},
      {"spec.nodeName", "here"},
      {"metadata.labels['none']", ""},
      {"metadata.labels", "a/b=\"c\""},
  };
  for (const auto& [path, wanted] : rows) {
    CAPTURE(path);
    CHECK(job::field_of(k_pod, path) == wanted);
  }
  CHECK_FALSE(job::field_of(k_pod, "spec.containers"));
  const auto reference = [](std::string_view name, std::string_view divisor) {
    const Json field{
        {"containerName", "c"}, {"resource", "limits.cpu"}, {"divisor", std::string(divisor)}};
    return Json{{"name", std::string(name)}, {"valueFrom", {{"resourceFieldRef", field}}}};
  };
  const Json container{{"env", Json::array({reference("CPU", "1"), reference("MILLI", "1m")})}};
  const auto found = container_variables(k_pod, container, k_none);
  REQUIRE(found);
  CHECK(found->values == Variables{{"CPU", "2"}, {"MILLI", "1500"}});
}

TEST_CASE("A missing secret or config map is named as Kubernetes names it") {
  const auto map = objects("configmaps", "kube-root-ca.crt", json(R"({"data":{"a":"b"}})"));
  const std::pair<std::string_view, std::string_view> rows[] = {
      {R"({"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"nosec","key":"k"}}}]})",
       R"(secret "nosec" not found)"},
      {R"({"env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"nocm","key":"k"}}}]})",
       R"(configmap "nocm" not found)"},
      {R"({"env":[{"name":"A","valueFrom":{"configMapKeyRef":
          {"name":"kube-root-ca.crt","key":"nokey"}}}]})",
       "couldn't find key nokey in ConfigMap ml/kube-root-ca.crt"},
      {R"({"envFrom":[{"secretRef":{"name":"nosec"}}]})", R"(secret "nosec" not found)"},
      {R"({"envFrom":[{"secretRef":{"name":"nosec","optional":true}}]})", ""},
      {R"({"env":[{"name":"A","valueFrom":{"secretKeyRef":
          {"name":"nosec","key":"k","optional":true}}}]})",
       ""},
  };
  for (const auto& [container, wanted] : rows) {
    CAPTURE(container);
    CHECK(fault_of(json(container), map) == wanted);
  }
}

TEST_CASE("A secret's value arrives decoded") {
  const auto secret = json(R"({"kind":"Secret","data":{"token":"aGVsbG8="}})");
  CHECK(data_of(secret, "token") == "hello");
  CHECK_FALSE(data_of(secret, "none"));
}

TEST_CASE("The command line is command and args, expanded; none when the spec has neither") {
  const auto container = json(R"j({"command":["python3","$(F)"],"args":["--x","$(N)"]})j");
  const std::vector<std::string> wanted{"python3", "t.py", "--x", "$(N)"};
  CHECK(command_line(container, {{"F", "t.py"}}) == wanted);
  CHECK(command_line(json("{}"), {}).empty());
}

}  // namespace container_environment_test
