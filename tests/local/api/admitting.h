// Jobs to admit in tests, and helpers that read admission's answers.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "local/api/admission.h"
#include "local/objects.h"

namespace trainctl::testing::local_objects {

inline Json from_text(std::string_view text) {
  Result<Json> value = from_yaml(text, "test");
  REQUIRE_MESSAGE(value.has_value(), value.error().message);
  return *std::move(value);
}

// The admitted object, or why it is refused.
inline Answered<Json> ask(Json object) {
  const std::string kind = text_at(object, "/kind");
  for (const ServedResource& resource : served_resources()) {
    if (resource.resource.kind != kind) continue;
    if (auto refused = admit(resource, object)) return *std::move(refused);
    return object;
  }
  FAIL("no kind " << kind);
  return ApiError{};
}

inline Json admitted(const Json& object) {
  Answered<Json> answer = ask(object);
  if (const ApiError* error = std::get_if<ApiError>(&answer)) FAIL(error->message);
  return std::get<Json>(std::move(answer));
}

// The answer in short: "422: …", or "admitted".
inline std::string verdict(const Answered<Json>& answer) {
  const ApiError* error = std::get_if<ApiError>(&answer);
  if (error == nullptr) return "admitted";
  return cat(error->code, ": ", error->message);
}

// A job that everything accepts; `changes` sets values at pointers.
struct Setting {
  std::string pointer;
  std::string json;  // "" removes
};

inline void apply(Json& object, const Setting& change) {
  if (!change.json.empty()) {
    auto value = parse_json(change.json, "test");
    REQUIRE(value.has_value());
    set_at(object, change.pointer, *value);
    return;
  }
  const auto slash = change.pointer.rfind('/');
  Json* parent = const_cast<Json*>(find(object, change.pointer.substr(0, slash)));
  REQUIRE(parent != nullptr);
  parent->erase(change.pointer.substr(slash + 1));
}

inline Json pytorch_job(const std::vector<Setting>& changes = {}) {
  Json job = from_text(R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ok, namespace: default}
spec:
  pytorchReplicaSpecs:
    Master: &replica
      replicas: 1
      restartPolicy: Never
      template: {spec: {containers: [{name: pytorch, image: "busybox:1"}]}}
    Worker: *replica
)");
  for (const Setting& change : changes) apply(job, change);
  return job;
}

}  // namespace trainctl::testing::local_objects
