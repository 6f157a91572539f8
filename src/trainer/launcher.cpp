// Trainer makes keys and a list of hosts for mpirun (pkg/runtime/framework/plugins/mpi), and says
// nothing else of the nodes.
#include "trainer/launcher.h"

#include <algorithm>

#include "base/text/text.h"
#include "manifest/environment.h"
#include "manifest/manifest.h"
#include "trainer/conversion.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_alike = "all nodes of a TrainJob share one template";

// Workers before the leader, because there are more of them; nullptr when no role has a rank.
const Replica* model_of(const std::vector<Replica>& replicas) {
  const Replica* model = nullptr;
  for (const Replica& replica : replicas) {
    if (replica.role == nullptr || !replica.role->ranked()) continue;
    if (model == nullptr || !replica.role->leads()) model = &replica;
  }
  return model;
}

Json without_count(Json replica) {
  replica.erase("replicas");
  return replica;
}

void compare(const Replica& replica, const Replica& model, std::vector<Loss>& losses) {
  const Json own = without_count(*replica.spec);
  const Json wanted = without_count(*model.spec);
  for (const Json& difference : Json::diff(own, wanted)) {
    losses.push_back({replica.pointer + text_at(difference, "/path"),
                      cat(k_alike, ", here that of the ", lower(model.key), "s"), ""});
  }
}

}  // namespace

Nodes unite_roles(const Kind& kind, const Json& job, std::vector<Loss>& losses) {
  Nodes nodes;
  const std::vector<Replica> replicas = replicas_of(kind, job);
  const Replica* model = model_of(replicas);
  if (model == nullptr) return nodes;
  nodes.alike = {without_count(*model->spec), model->pointer, restart_policy_of(*model)};
  for (const Replica& replica : replicas) {
    if (replica.role == nullptr || !replica.role->ranked()) {
      losses.push_back({replica.pointer, cat(k_alike, ", so it has no ", lower(replica.key)),
                        "run it as a job of its own"});
      continue;
    }
    if (kind.has_launcher() && replica.role->leads()) {
      nodes.launcher = {without_count(*replica.spec), replica.pointer, restart_policy_of(replica)};
      continue;
    }
    nodes.count += replica_count(kind, job, *replica.role);
    if (&replica != model) compare(replica, *model, losses);
  }
  return nodes;
}

Ssh take_ssh(const Kind& kind, const Nodes& nodes, const PatchRules& rules, Json& job) {
  Ssh ssh{split_pod(kind, nodes.alike.replica, rules)};
  const Json slots = take(job, "/spec/slotsPerWorker");
  if (slots.is_number_integer()) ssh.processes = slots.get<std::int64_t>();
  const Json path = take(job, "/spec/sshAuthMountPath");
  if (path.is_string()) ssh.key_path = path.get<std::string>();
  // The launcher is begun when the nodes are ready.
  take(job, "/spec/launcherCreationPolicy");
  if (text_at(job, "/spec/mpiImplementation") == "OpenMPI") take(job, "/spec/mpiImplementation");
  if (!true_at(job, "/spec/runLauncherAsWorker")) take(job, "/spec/runLauncherAsWorker");
  return ssh;
}

void lose_workers(const Nodes& nodes, const PodSplit& workers, std::vector<Loss>& losses) {
  const std::string place = nodes.alike.pointer + "/template";
  lose_pod(place, workers.needed_rest(), losses);
  for (const char* part : {"command", "args", "resourcesPerNode"}) {
    if (workers.trainer.contains(part) && !workers.trainer[part].empty()) {
      losses.push_back({cat(place, "/spec/containers/0/", part),
                        "only a runtime can set it for MPI workers", "", true});
    }
  }
}

void lose_root(const Nodes& nodes, const Ssh& ssh, std::vector<Loss>& losses) {
  if (!ssh.key_path.starts_with("/root")) return;
  losses.push_back(
      {nodes.alike.pointer + "/template/spec/securityContext",
       "Trainer's launcher reaches its nodes by ssh, with a key that sshd does not accept for root",
       "use an image whose sshd runs as another user, and set sshAuthMountPath of the "
       "runtime to the directory of that user's key"});
}

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
