// Builds flags that set environment variables: to a text, or to what an object of the cluster or
// the pod itself says.
#include "manifest/environment.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text/text.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/values.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

// Run:ai's way to write a key of a secret: "SECRET:NAME,KEY".
std::optional<Json> run_ai_key(std::string_view value) {
  constexpr std::string_view k_mark = "SECRET:";
  if (!value.starts_with(k_mark)) return std::nullopt;
  const Halves source = split_once(value.substr(k_mark.size()), ',');
  if (!object_name_fault(source.first).empty() || !data_key_fault(source.second).empty()) {
    return std::nullopt;
  }
  return Json{{"name", source.first}, {"key", source.second}};
}

Result<Json> typed_variable(std::string_view text, const PatchInput& input) {
  const auto literal = [&input](const std::string& value) {
    return given(input.uses, "expand") ? value : unexpanded(value);
  };
  const Halves halves = split_once(text, '=');
  TRY(require(halves.first, variable_name_fault(halves.first)));
  if (auto key = run_ai_key(halves.second)) {
    return Json{{"name", halves.first}, {"valueFrom", {{"secretKeyRef", *std::move(key)}}}};
  }
  if (halves.found) return Json{{"name", halves.first}, {"value", literal(halves.second)}};
  const auto value = input.environment.get(halves.first);
  if (!value) {
    return bad_value(halves.first, "is not set in your environment",
                     cat("write ", halves.first, "=VALUE"));
  }
  // Typed arguments were checked already; this text comes from elsewhere.
  if (!is_utf8(*value)) return bad_value(halves.first, "holds invalid UTF-8 in your environment");
  // A value passed on from the user's environment was not written for the cluster to expand.
  return Json{{"name", halves.first}, {"value", unexpanded(*value)}};
}

// Flags of variables from a key of an object: their shape, and the field that they set.
struct KeySource {
  std::string_view shape, field, hint;
};
constexpr KeySource k_secret_key{"VAR=SECRET:KEY", "secretKeyRef",
                                 "name a Secret of the cluster and a key in it, not the value"};
constexpr KeySource k_config_map_key{"VAR=CONFIGMAP:KEY", "configMapKeyRef",
                                     "write it like --env-configmap LR=settings:learning-rate"};

Result<Json> variable_from_key(const std::string& text, const KeySource& from) {
  TRY_ASSIGN(const KeyValue pair, key_and_value(text, from.shape));
  const Halves source = split_once(pair.value, ':');
  TRY(require(pair.key, variable_name_fault(pair.key)));
  // The value may be the secret itself, given by mistake, so it is not repeated.
  if (!source.found || !data_key_fault(source.second).empty() ||
      !object_name_fault(source.first).empty()) {
    return bad_value(cat(pair.key, "=…"), cat("is not ", from.shape), from.hint);
  }
  const Json reference = {{"name", source.first}, {"key", source.second}};
  return Json{{"name", pair.key}, {"valueFrom", {{from.field, reference}}}};
}

Result<Json> build_key_variables(const PatchInput& input, const KeySource& from) {
  Json variables = Json::array();
  for (const std::string& text : input.values) {
    TRY_ASSIGN(Json variable, variable_from_key(text, from));
    variables.push_back(std::move(variable));
  }
  return Json{{"env", std::move(variables)}};
}

Result<Json> build_all_keys(const PatchInput& input, const char* source) {
  Json sources = Json::array();
  for (const std::string& name : input.values) {
    TRY(require(name, object_name_fault(name)));
    sources.push_back({{source, {{"name", name}}}});
  }
  return Json{{"envFrom", std::move(sources)}};
}

// The fields that Kubernetes lets a variable take.
constexpr std::array<std::string_view, 9> k_pod_fields = {"metadata.name",
                                                          "metadata.namespace",
                                                          "metadata.uid",
                                                          "spec.nodeName",
                                                          "spec.serviceAccountName",
                                                          "status.hostIP",
                                                          "status.hostIPs",
                                                          "status.podIP",
                                                          "status.podIPs"};

bool is_pod_field(std::string_view path) {
  if (std::ranges::find(k_pod_fields, path) != k_pod_fields.end()) return true;
  for (const std::string_view map : {"metadata.labels['", "metadata.annotations['"}) {
    if (!path.starts_with(map) || !path.ends_with("']")) continue;
    if (path.size() < map.size() + 2) continue;
    const std::string_view key = path.substr(map.size(), path.size() - map.size() - 2);
    return qualified_name_fault(key).empty();
  }
  return false;
}

// Variables of the AWS SDKs; those that a secret may lack have defaults there.
struct S3Variable {
  std::string_view name;
  bool optional;
};
constexpr std::array<S3Variable, 4> k_s3_variables = {{{"AWS_ACCESS_KEY_ID", false},
                                                       {"AWS_SECRET_ACCESS_KEY", false},
                                                       {"AWS_REGION", true},
                                                       {"AWS_ENDPOINT_URL", true}}};

Json s3_variable(const S3Variable& variable, const std::string& secret) {
  Json reference = {{"name", secret}, {"key", variable.name}};
  if (variable.optional) reference["optional"] = true;
  return {{"name", variable.name}, {"valueFrom", {{"secretKeyRef", std::move(reference)}}}};
}

}  // namespace

Result<Json> build_s3(const PatchInput& input) {
  const Halves halves = split_once(input.values.back(), ':');
  const std::string& endpoint = halves.second;
  const bool is_url = endpoint.starts_with("https://") || endpoint.starts_with("http://");
  // The value may hold the key itself, as Run:ai's does, so it is not repeated.
  if (!object_name_fault(halves.first).empty() || (halves.found && !is_url)) {
    return bad_value("…", "is not SECRET[:ENDPOINT]",
                     "name a Secret of the cluster, as in --s3 minio:https://minio.example.com");
  }
  if (masked_user_info(endpoint) != endpoint) {
    return Error{Code::usage, "would show credentials to everyone who can read the job",
                 "keep the keys in the Secret and write the endpoint without them"};
  }
  Json variables = Json::array();
  for (const S3Variable& variable : k_s3_variables) {
    const bool is_typed = halves.found && variable.name == "AWS_ENDPOINT_URL";
    variables.push_back(is_typed ? Json{{"name", variable.name}, {"value", unexpanded(endpoint)}}
                                 : s3_variable(variable, halves.first));
  }
  return Json{{"env", std::move(variables)}};
}

Result<Json> build_env(const PatchInput& input) {
  Json variables = Json::array();
  for (const std::string& text : input.values) {
    TRY_ASSIGN(Json variable, typed_variable(text, input));
    variables.push_back(std::move(variable));
  }
  return Json{{"env", std::move(variables)}};
}

Result<Json> build_env_secret(const PatchInput& input) {
  return build_key_variables(input, k_secret_key);
}

Result<Json> build_env_config_map(const PatchInput& input) {
  return build_key_variables(input, k_config_map_key);
}

Result<Json> build_env_from_secret(const PatchInput& input) {
  return build_all_keys(input, "secretRef");
}

Result<Json> build_env_from_config_map(const PatchInput& input) {
  return build_all_keys(input, "configMapRef");
}

Result<Json> build_env_field(const PatchInput& input) {
  Json variables = Json::array();
  for (const std::string& text : input.values) {
    TRY_ASSIGN(const KeyValue pair, key_and_value(text, "VAR=FIELDPATH, as in NODE=spec.nodeName"));
    TRY(require(pair.key, variable_name_fault(pair.key)));
    if (!is_pod_field(pair.value)) {
      const std::vector<std::string> fields(k_pod_fields.begin(), k_pod_fields.end());
      return bad_value(pair.value, "is not a field of the pod that a variable can take",
                       cat("write one of ", join(fields, ", "), ", metadata.labels['KEY']"));
    }
    variables.push_back(
        {{"name", pair.key}, {"valueFrom", {{"fieldRef", {{"fieldPath", pair.value}}}}}});
  }
  return Json{{"env", std::move(variables)}};
}

}  // namespace trainctl::job
