// Builds the structured flags of the job, its metadata, containers and scheduling, except those of
// the environment and of volumes.
#include "manifest/flags/builders.h"

#include <optional>

#include "base/text/text.h"
#include "base/value/quantity.h"
#include "manifest/environment.h"
#include "manifest/flags/values.h"
#include "manifest/kind/names.h"

namespace trainctl::job {
namespace {

Result<Json> named_entries(const PatchInput& input, const char* list) {
  Json entries = Json::array();
  for (const std::string& name : input.values) {
    TRY(require(name, object_name_fault(name)));
    entries.push_back({{"name", name}});
  }
  return Json{{list, std::move(entries)}};
}

std::string key_fault(std::string_view key) {
  if (key.starts_with("trainctl/")) return "is for trainctl itself";
  return qualified_name_fault(key);
}

}  // namespace

Result<Json> build_name(const PatchInput& input) {
  const std::string& name = input.values.back();
  std::string fault = job_name_fault(input.kind, name);
  const std::string meant = job_name_like(input.kind, name);
  if (!fault.empty() && !meant.empty()) fault += cat("; write ", meant);
  TRY(require(name, fault));
  return Json{{"metadata", {{"name", name}, {"generateName", nullptr}}}};
}

Result<Json> build_name_prefix(const PatchInput& input) {
  std::string prefix = input.values.back();
  TRY(require(prefix, job_name_fault(input.kind, cat(prefix, 'x'))));
  if (other_value(input, "name") != nullptr) return Json::object();
  if (!prefix.ends_with('-')) prefix += '-';
  return Json{{"metadata", {{"name", nullptr}, {"generateName", prefix}}}};
}

Result<Json> build_no_master(const PatchInput& input) {
  if (input.kind.requires_leader()) {
    return Error{Code::usage, cat(input.kind.resource.kind, "s cannot run without a ",
                                  input.kind.roles.front().prefix)};
  }
  Json patch = Json::object();
  for (const Role& role : input.kind.roles) {
    if (role.leads()) set_at(patch, cat(input.kind.replica_specs, '/', role.name), nullptr);
  }
  return patch;
}

Result<Json> build_suspend(const PatchInput& input) {
  Json patch = Json::object();
  set_at(patch, input.kind.controller.suspend, true);
  return patch;
}

Result<Json> build_nothing(const PatchInput&) {
  return Json::object();
}

Result<Json> build_label(const PatchInput& input) {
  Json labels = Json::object();
  for (const std::string& text : input.values) {
    TRY_ASSIGN(KeyValue pair, key_and_value(text, "KEY=VALUE"));
    TRY(require(pair.key, key_fault(pair.key)));
    TRY(require(pair.value, label_value_fault(pair.value)));
    labels[pair.key] = std::move(pair.value);
  }
  return Json{{"labels", std::move(labels)}};
}

Result<Json> build_annotation(const PatchInput& input) {
  Json annotations = Json::object();
  for (const std::string& text : input.values) {
    TRY_ASSIGN(KeyValue pair, key_and_value(text, "KEY=VALUE"));
    TRY(require(pair.key, key_fault(pair.key)));
    annotations[pair.key] = std::move(pair.value);
  }
  return Json{{"annotations", std::move(annotations)}};
}

// Kueue takes only one of the two annotations.
Result<Json> build_topology(const PatchInput& input) {
  constexpr std::string_view k_shape = "required=LEVEL or preferred=LEVEL";
  const std::string& text = input.values.back();
  TRY_ASSIGN(const KeyValue pair, key_and_value(text, k_shape));
  const bool required = pair.key == "required";
  if (!required && pair.key != "preferred") return bad_value(text, cat("is not ", k_shape));
  TRY(require(pair.value, qualified_name_fault(pair.value)));
  const std::string wanted = cat("kueue.x-k8s.io/podset-", pair.key, "-topology");
  const std::string other =
      cat("kueue.x-k8s.io/podset-", required ? "preferred" : "required", "-topology");
  Json patch = Json::object();
  patch["template"]["metadata"]["annotations"] = {{wanted, pair.value}, {other, nullptr}};
  return patch;
}

Json literal_words(const std::vector<std::string>& words, const std::vector<FlagUse>& uses) {
  Json literal = Json::array();
  const bool expand = given(uses, "expand");
  for (const std::string& word : words) literal.push_back(expand ? word : unexpanded(word));
  return literal;
}

Result<Json> build_args(const PatchInput& input) {
  return Json{{"args", literal_words(input.values, input.uses)}};
}

Result<Json> build_gpu(const PatchInput& input) {
  const std::string& text = input.values.back();
  const auto count = parse_number<std::int64_t>(text);
  if (!count && checked_quantity(text)) {
    return bad_value(text, "is not a whole number of GPUs",
                     "a slice of a GPU has a resource name of its own: --gpu 1 --gpu-resource "
                     "nvidia.com/mig-1g.5gb");
  }
  TRY_ASSIGN(Json checked, check_count(text));
  const std::string* resource = other_value(input, "gpu-resource");
  const std::string name = resource == nullptr ? "nvidia.com/gpu" : *resource;
  if (*count > 0) return Json{{"resources", {{"limits", {{name, std::move(checked)}}}}}};
  return Json{{"resources", {{"limits", {{name, nullptr}}}, {"requests", {{name, nullptr}}}}}};
}

Result<Json> build_gpu_resource(const PatchInput& input) {
  const std::string& name = input.values.back();
  TRY(require(name, qualified_name_fault(name)));
  if (!split_once(name, '/').found) return bad_value(name, "is not DOMAIN/NAME");
  if (other_value(input, "gpu") == nullptr) {
    return Error{Code::usage, "names a resource but no count", "add --gpu N"};
  }
  return Json::object();
}

Result<Json> build_extended_resource(const PatchInput& input) {
  Json limits = Json::object();
  for (const std::string& text : input.values) {
    TRY_ASSIGN(const KeyValue pair, key_and_value(text, "NAME=COUNT"));
    TRY(require(pair.key, qualified_name_fault(pair.key)));
    TRY_ASSIGN(limits[pair.key], check_count(pair.value));
  }
  return Json{{"resources", {{"limits", std::move(limits)}}}};
}

Result<Json> build_ports(const PatchInput& input) {
  Json ports = Json::array();
  for (const std::string& text : input.values) {
    const Halves named = split_once(text, '=');
    const std::string& digits = named.found ? named.second : named.first;
    if (digits.find(':') != std::string::npos) {
      return bad_value(text, "asks for a port outside the job",
                       "give only the container's port, and reach it with trainctl port-forward");
    }
    const auto port = parse_number<std::int64_t>(digits);
    if (!port || *port < 1 || *port > 65535)
      return bad_value(text, "is not a port from 1 to 65535");
    const std::string name = named.found ? named.first : cat("port-", digits);
    TRY(require(name, port_name_fault(name)));
    ports.push_back({{"containerPort", *port}, {"name", name}});
  }
  return Json{{"ports", std::move(ports)}};
}

Result<Json> build_capabilities(const PatchInput& input) {
  Json added = Json::array();
  for (const std::string& text : input.values) {
    for (std::string& name : split(text, ',')) {
      if (name.starts_with("CAP_")) name.erase(0, 4);
      if (name.empty() ||
          name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != std::string::npos) {
        return bad_value(text, "is not a capability", "they look like NET_ADMIN");
      }
      added.push_back(std::move(name));
    }
  }
  return Json{{"securityContext", {{"capabilities", {{"add", std::move(added)}}}}}};
}

Result<Json> build_pull_secret(const PatchInput& input) {
  return named_entries(input, "imagePullSecrets");
}

Result<Json> build_node_selector(const PatchInput& input) {
  Json selector = Json::object();
  for (const std::string& text : input.values) {
    TRY_ASSIGN(KeyValue pair, key_and_value(text, "KEY=VALUE"));
    TRY(require(pair.key, qualified_name_fault(pair.key)));
    TRY(require(pair.value, label_value_fault(pair.value)));
    selector[pair.key] = std::move(pair.value);
  }
  return Json{{"nodeSelector", std::move(selector)}};
}

Result<Json> build_host_network(const PatchInput&) {
  // Without this DNS policy, pods on the host's network cannot resolve the other replicas.
  return Json{{"hostNetwork", true}, {"dnsPolicy", "ClusterFirstWithHostNet"}};
}

Result<Json> build_run_as(const PatchInput& input) {
  const std::string& text = input.values.back();
  const Halves halves = split_once(text, ':');
  const auto user = check_count(halves.first);
  if (!user) return bad_value(text, "is not UID[:GID]", "--run-as $(id -u):$(id -g)");
  Json context = {{"runAsUser", *user}};
  if (halves.found) {
    const auto group = check_count(halves.second);
    if (!group) return bad_value(text, "is not UID[:GID]", "--run-as $(id -u):$(id -g)");
    context["runAsGroup"] = *group;
  }
  return Json{{"securityContext", std::move(context)}};
}

}  // namespace trainctl::job
