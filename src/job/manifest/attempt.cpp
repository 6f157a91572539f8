// Sets variables and node affinities in each replica's template.
#include "job/manifest/attempt.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/text/text.h"
#include "job/manifest/container_variable.h"
#include "job/manifest/lasting_volumes.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_node_terms =
    "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
constexpr std::string_view k_hostname_label = "kubernetes.io/hostname";

void for_each_pod_spec(const Kind& kind, Json& manifest,
                       const std::function<void(Json& spec, const std::string& main)>& change) {
  for (const Replica& replica : replicas_of(kind, manifest)) {
    const std::string main = training_container(kind, *replica.spec);
    Json* spec = find_in(manifest, cat(replica.pointer, k_pod_spec));
    if (spec != nullptr && spec->is_object()) change(*spec, main);
  }
}

Json* find_main(Json& spec, const std::string& name) {
  Json* containers = find_in(spec, "/containers");
  if (containers == nullptr || !containers->is_array()) return nullptr;
  const auto found = std::ranges::find_if(
      *containers, [&name](const Json& one) { return text_at(one, "/name") == name; });
  return found == containers->end() ? nullptr : &*found;
}

bool is_mark(const Json& variable) {
  const std::string_view name = view_at(variable, "/name");
  return name == k_attempt_variable || name == k_resume_variable;
}

void remove_marks(Json& container) {
  Json* variables = find_in(container, "/env");
  if (variables == nullptr || !variables->is_array()) return;
  const auto marks = std::ranges::remove_if(*variables, is_mark);
  if (marks.empty()) return;
  variables->erase(marks.begin(), marks.end());
  if (variables->empty()) container.erase("env");
}

// The first mount, in the order of the flags, that can be written and outlives the pod.
std::optional<std::string> resume_path(const Json& spec, const Json& container) {
  const auto lasting = lasting_mounts(spec, container);
  for (const Json& mount : array_at(container, "/volumeMounts")) {
    const auto found = std::ranges::find_if(lasting, [&mount](const LastingMount& one) {
      return view_at(one.mount, "/mountPath") == view_at(mount, "/mountPath");
    });
    if (found != lasting.end() && !true_at(mount, "/readOnly")) return found->path;
  }
  return std::nullopt;
}

}  // namespace

void mark_attempt(const Kind& kind, Json& manifest, int attempt) {
  for_each_pod_spec(kind, manifest, [attempt](Json& spec, const std::string& main) {
    Json* container = find_main(spec, main);
    if (container == nullptr) return;
    remove_marks(*container);
    const auto path = attempt > 1 ? resume_path(spec, *container) : std::nullopt;
    Json& variables = (*container)["env"];
    if (!variables.is_array()) variables = Json::array();
    variables.push_back(literal(k_attempt_variable, attempt));
    if (path) variables.push_back(literal(k_resume_variable, *path));
  });
}

void unmark_attempt(const Kind& kind, Json& manifest) {
  for_each_pod_spec(kind, manifest, [](Json& spec, const std::string& main) {
    if (Json* container = find_main(spec, main)) remove_marks(*container);
  });
}

bool restarts_itself(const Kind& kind, const Json& manifest) {
  const bool has_no_retry = int_at(manifest, cat(kind.controller.run_policy, "/backoffLimit")) == 0;
  const auto replicas = replicas_of(kind, manifest);
  return std::ranges::any_of(replicas, [has_no_retry](const Replica& replica) {
    const std::string policy = restart_policy_of(replica);
    return policy == "ExitCode" || (policy != "Never" && !has_no_retry);
  });
}

void avoid_node(const Kind& kind, Json& manifest, const std::string& node) {
  const Json expression = {
      {"key", k_hostname_label}, {"operator", "NotIn"}, {"values", Json::array({node})}};
  for_each_pod_spec(kind, manifest, [&expression](Json& spec, const std::string&) {
    Json* terms = find_in(spec, k_node_terms);
    if (terms == nullptr || !terms->is_array() || terms->empty()) {
      set_at(spec, k_node_terms, Json::array({Json{{"matchExpressions", {expression}}}}));
      return;
    }
    // A node may match any of the terms.
    for (Json& term : *terms) {
      Json& expressions = term["matchExpressions"];
      if (!expressions.is_array()) expressions = Json::array();
      expressions.push_back(expression);
    }
  });
}

}  // namespace trainctl::job
