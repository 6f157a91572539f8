// Tells the variables of a job's manifest apart: the user's, trainctl's own, and Trainer's.
#include "job/trainer/variables.h"

#include <algorithm>

#include "base/text/text.h"
#include "job/manifest/environment.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

namespace {

// Returns the list of variables of the replica's training container; nullptr when it has none.
Json* environment_in(const Kind& kind, Json* replica) {
  if (replica == nullptr) return nullptr;
  const std::string name = training_container(kind, *replica);
  Json* containers = find_in(*replica, "/template/spec/containers");
  if (containers == nullptr || !containers->is_array()) return nullptr;
  for (Json& container : *containers) {
    if (text_at(container, "/name") == name && container.contains("env")) return &container["env"];
  }
  return nullptr;
}

// The variables that trainctl itself adds to a job without a leader, for the operator of v1.
std::vector<Json> rendezvous_of(const VariablesInput& input) {
  Json job = input.job;
  Json* env = environment_in(input.kind, find_in(job, input.nodes.program().pointer));
  if (env == nullptr) return {};
  *env = Json::array();
  add_rendezvous_environment(input.kind, job);
  env = environment_in(input.kind, find_in(job, input.nodes.program().pointer));
  return env == nullptr ? std::vector<Json>() : env->get<std::vector<Json>>();
}

bool has_named(const std::vector<Json>& variables, std::string_view name) {
  return std::ranges::any_of(variables,
                             [name](const Json& one) { return text_at(one, "/name") == name; });
}

}  // namespace

std::vector<Json> variables_of(const VariablesInput& input, std::vector<Loss>& losses) {
  const auto& reserved = input.framework.reserved;
  const std::vector<Json> added = rendezvous_of(input);
  std::vector<Json> variables;
  if (input.framework.variables != nullptr) variables = input.framework.variables(input.world);
  Json replica = input.nodes.program().replica;
  const Json* own = environment_in(input.kind, &replica);
  if (own == nullptr) return variables;
  for (const Json& variable : array_at(*own, "")) {
    const std::string name = text_at(variable, "/name");
    if (std::ranges::find(reserved, name) == reserved.end()) {
      // The operator of v1 overwrites variables of these names, too.
      if (!has_named(variables, name)) variables.push_back(variable);
    } else if (std::ranges::find(added, variable) == added.end()) {
      losses.push_back({cat(input.nodes.program().pointer, "/template/spec/containers/env/", name),
                        cat("Trainer itself sets ", name), "leave it out"});
    }
  }
  return variables;
}

}  // namespace trainctl::job
