// Takes a job apart field by field, so that none can be forgotten: what is left over is a loss.
#include "job/trainer/conversion.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "job/manifest/manifest.h"
#include "job/operator/operated_kind.h"
#include "job/trainer/losses.h"
#include "job/trainer/nodes.h"
#include "job/trainer/own_runtime.h"
#include "job/trainer/train_job.h"

namespace trainctl::job {

namespace {

// Removes the value at the pointer and returns it; null when there is none.
Json take(Json& object, std::string_view pointer) {
  const auto slash = pointer.rfind('/');
  Json* parent = find_in(object, pointer.substr(0, slash));
  const std::string key = key_of_step(pointer.substr(slash + 1));
  if (parent == nullptr || !parent->is_object() || !parent->contains(key)) return nullptr;
  Json value = std::move((*parent)[key]);
  parent->erase(key);
  return value;
}

// Removes what the server and kubectl have written into an object that was read from a cluster.
void drop_records(Json& job) {
  constexpr std::array<std::string_view, 8> k_records = {
      "/status",
      "/metadata/uid",
      "/metadata/selfLink",
      "/metadata/generation",
      "/metadata/managedFields",
      "/metadata/resourceVersion",
      "/metadata/creationTimestamp",
      "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"};
  for (const std::string_view pointer : k_records) take(job, pointer);
}

// The operator of v1 overwrites variables of these names, too.
void set_environment(const Framework& framework, const World& world, Json& trainer) {
  const std::vector<Json> variables = framework.variables(world);
  const auto is_set = [&](const std::string& name) {
    return std::any_of(variables.begin(), variables.end(),
                       [&name](const Json& one) { return text_at(one, "/name") == name; });
  };
  const std::string_view prefix = framework.reserved_prefix;
  const Json own = take(trainer, "/env");
  Json& env = trainer["env"] = variables;
  for (const Json& variable : own) {
    const std::string name = text_at(variable, "/name");
    const bool is_reserved = !prefix.empty() && name.starts_with(prefix);
    if (!is_reserved && !is_set(name)) env.push_back(variable);
  }
}

// "auto" is what Trainer does by itself; "cpu" and "gpu" are left over.
void take_processes(const Kind& kind, Json& rest, Json& trainer) {
  const std::string text = text_at(rest, kind.processes_per_pod);
  const std::int64_t processes = processes_per_pod(kind, rest);
  if (text != "auto" && text != std::to_string(processes)) return;
  take(rest, kind.processes_per_pod);
  if (text != "auto") trainer["numProcPerNode"] = processes;
}

// The pods are called NAME-node-0-INDEX-XXXXX, and the API server accepts longer names than theirs.
Status check_name(const Json& job, std::int64_t nodes) {
  constexpr std::size_t k_longest = 63, k_random = 5;
  const std::size_t behind = cat("-node-0-", nodes - 1, "-").size() + k_random;
  std::string name = text_at(job, "/metadata/name");
  const std::size_t generated = name.empty() ? k_random : 0;
  if (name.empty()) name = text_at(job, "/metadata/generateName");
  if (name.size() + generated + behind <= k_longest) return {};
  return Error{Code::usage,
               cat("the name ", name, " is too long for a TrainJob of ", plural(nodes, "node"),
                   ": ", k_longest - behind - generated, " characters at most"),
               "give the job a shorter name"};
}

void lose_leader(const Kind& kind, const Framework& framework, const Json& job,
                 std::vector<Loss>& losses) {
  if (framework.leader_becomes.empty()) return;
  for (const Replica& replica : replicas_of(kind, job)) {
    if (replica.role == nullptr || !replica.role->leads) continue;
    losses.push_back({replica.pointer, cat("it becomes ", framework.leader_becomes), ""});
  }
}

// What Trainer does by itself is no loss.
void take_defaults(const Kind& kind, Json& rest) {
  const std::string clean_up = cat(kind.run_policy, "/cleanPodPolicy");
  if (text_at(rest, clean_up) == "Running") take(rest, clean_up);
  if (text_at(rest, "/spec/successPolicy") == "AllWorkers") take(rest, "/spec/successPolicy");
}

// A replica that may not restart fails the job at once: its Job has no retries.
void take_restarts(const Kind& kind, const Nodes& nodes, Json& policy, Lifecycle& lifecycle,
                   std::vector<Loss>& losses) {
  const std::string pointer = "/restartPolicy";
  const std::string restart =
      text_at(nodes.replica, pointer, find_operated_kind(kind)->restart_policy);
  if (restart == "Never") {
    lifecycle.restart_policy = restart;
    lifecycle.backoff_limit = 0;
    take(policy, "/backoffLimit");  // counts restarts, of which there are none
    return;
  }
  if (restart != "OnFailure") lose(nodes.pointer + pointer, restart, losses);
  if (const Json limit = take(policy, "/backoffLimit"); limit.is_number_integer()) {
    lifecycle.backoff_limit = limit.get<std::int64_t>();
  }
}

Lifecycle take_lifecycle(const Kind& kind, const Nodes& nodes, Json& rest,
                         std::vector<Loss>& losses) {
  Lifecycle lifecycle;
  Json none = Json::object();
  Json* policy = find_in(rest, kind.run_policy);
  if (policy == nullptr) policy = &none;
  take_restarts(kind, nodes, *policy, lifecycle, losses);
  if (const Json ttl = take(*policy, "/ttlSecondsAfterFinished"); ttl.is_number_integer()) {
    lifecycle.ttl = ttl.get<std::int64_t>();
  }
  return lifecycle;
}

void lose_lifecycle(const Kind& kind, const Nodes& nodes, const Lifecycle& lifecycle,
                    std::vector<Loss>& losses) {
  const Lifecycle usual;
  if (lifecycle.restart_policy != usual.restart_policy) {
    lose(nodes.pointer + "/restartPolicy", lifecycle.restart_policy, losses);
  } else if (lifecycle.backoff_limit != usual.backoff_limit) {
    lose(cat(kind.run_policy, "/backoffLimit"), lifecycle.backoff_limit, losses);
  }
  if (lifecycle.ttl) {
    lose(cat(kind.run_policy, "/ttlSecondsAfterFinished"), *lifecycle.ttl, losses);
  }
}

Json patches_of(const Json& pod_template) {
  Json patch = {{"manager", "trainctl.io/cli"}};
  const Json job = {{"name", k_node}, {"template", {{"spec", {{"template", pod_template}}}}}};
  patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"] = Json::array({job});
  return Json::array({std::move(patch)});
}

// The runtime is named like the job, or like the beginning of its generated name.
std::string runtime_name(const Json& metadata) {
  std::string name = text_at(metadata, "/name", text_at(metadata, "/generateName"));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

void choose_runtime(const Kind& kind, const Nodes& nodes, const RuntimeInput& input, OwnRuntime own,
                    Conversion& result) {
  Json& spec = result.train_job["spec"];
  const Json& metadata = result.train_job["metadata"];
  if (needs_own_runtime(input) && own == OwnRuntime::where_needed) {
    const std::string name = runtime_name(metadata);
    result.runtime = make_runtime(input, name, text_at(metadata, "/namespace"));
    spec["runtimeRef"] = {
        {"apiGroup", "trainer.kubeflow.org"}, {"kind", "TrainingRuntime"}, {"name", name}};
    return;
  }
  spec["runtimeRef"] = {{"name", input.framework.runtime}};
  if (!input.pod.patch.empty()) spec["runtimePatches"] = patches_of(input.pod.patch);
  lose_lifecycle(kind, nodes, input.lifecycle, result.losses);
  lose_pod(nodes.pointer + "/template", input.pod.needed_rest(), result.losses);
}

}  // namespace

Result<Conversion> convert(const Kind& kind, const Json& job, OwnRuntime own_runtime) {
  const Framework* framework = find_framework(kind);
  if (framework == nullptr) {
    return Error{Code::usage, cat("trainctl cannot make a TrainJob of a ", kind.resource.kind),
                 "it can of a PyTorchJob, TFJob, XGBoostJob, PaddleJob or JAXJob"};
  }
  Conversion result;
  Json rest = job;
  drop_records(rest);
  const Nodes nodes = unite_roles(kind, rest, result.losses);
  if (nodes.count < 1) {
    return Error{Code::usage, cat("the ", kind.resource.kind, " has no replica with a rank"), ""};
  }
  TRY(check_name(rest, nodes.count));
  lose_leader(kind, *framework, rest, result.losses);
  const World world{nodes.count, processes_per_pod(kind, rest)};
  take(rest, kind.replica_specs);
  take_defaults(kind, rest);
  const Lifecycle lifecycle = take_lifecycle(kind, nodes, rest, result.losses);
  PodSplit pod = split_pod(kind, nodes.replica);
  set_environment(*framework, world, pod.trainer);
  pod.trainer["numNodes"] = world.nodes;
  take_processes(kind, rest, pod.trainer);

  result.train_job = {{"apiVersion", k_trainer_version},
                      {"kind", "TrainJob"},
                      {"metadata", take(rest, "/metadata")}};
  choose_runtime(kind, nodes, {*framework, world, lifecycle, pod}, own_runtime, result);
  Json& spec = result.train_job["spec"];
  spec["trainer"] = pod.trainer;
  if (take(rest, kind.suspend) == true) spec["suspend"] = true;
  if (Json limit = take(rest, cat(kind.run_policy, "/activeDeadlineSeconds")); !limit.is_null()) {
    spec["activeDeadlineSeconds"] = std::move(limit);
  }
  lose("/spec", object_at(rest, "/spec"), result.losses);
  return result;
}

}  // namespace trainctl::job
