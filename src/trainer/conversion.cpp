// Takes a job apart field by field, so that none can be forgotten: each remaining field is a loss.
#include "trainer/conversion.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/result.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "kube/object/names.h"
#include "manifest/check.h"
#include "manifest/environment.h"
#include "manifest/kind/kind.h"
#include "manifest/kind/names.h"
#include "manifest/manifest.h"
#include "manifest/merge.h"
#include "manifest/rerun.h"
#include "trainer/framework.h"
#include "trainer/launcher.h"
#include "trainer/own_runtime.h"

namespace trainctl::job {
namespace {

struct Reason {
  std::string_view part, why, instead;
};

constexpr std::array<Reason, 8> k_reasons = {{
    {"/elasticPolicy/", "a TrainJob has a fixed number of nodes", ""},
    {"/cleanPodPolicy", "a TrainJob keeps its pods after success and deletes them after failure",
     ""},
    {"/schedulingPolicy/", "only a runtime can schedule pods together",
     "a Kueue queue admits all of a job at once"},
    {"/successPolicy", "every node of a TrainJob must succeed", ""},
    {"/managedBy", "it names a controller of v1 jobs", ""},
    {"/backoffLimit", "only a runtime can set it", ""},
    {"/ttlSecondsAfterFinished", "only a runtime can set it", ""},
    {"/restartPolicy", "a node restarts only after a failure", ""},
}};

}  // namespace

Json take(Json& object, std::string_view pointer) {
  const auto slash = pointer.rfind('/');
  Json* parent = find_in(object, pointer.substr(0, slash));
  const std::string key = key_of_step(pointer.substr(slash + 1));
  if (parent == nullptr || !parent->is_object() || !parent->contains(key)) return nullptr;
  Json value = std::move((*parent)[key]);
  parent->erase(key);
  return value;
}

void lose(const std::string& pointer, const Json& value, std::vector<Loss>& losses) {
  if (value.is_null()) return;
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      lose(cat(pointer, '/', pointer_step(key)), member, losses);
    }
    return;
  }
  const auto known = std::ranges::find_if(k_reasons, [&](const Reason& reason) {
    return pointer.find(reason.part) != std::string::npos;
  });
  if (known == k_reasons.end()) {
    losses.push_back({pointer, "only a runtime can set it", ""});
    return;
  }
  losses.push_back({pointer, std::string(known->why), std::string(known->instead)});
}

void lose_pod(const std::string& pointer, Json pod_template, std::vector<Loss>& losses) {
  const Json containers = array_at(pod_template, "/spec/containers");
  if (!containers.empty()) pod_template["spec"].erase("containers");
  lose(pointer, pod_template, losses);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    Json container = containers[i];
    container.erase("name");
    lose(cat(pointer, "/spec/containers/", i), container, losses);
  }
}

namespace {

// Turns an MPIJob of the training operator into one of mpi-operator (v2beta1). Pure.
constexpr std::string_view k_clean_pod_policy = "cleanPodPolicy";

// The API of v1 has it in two places.
void move_clean_up(Json& spec) {
  Json policy = spec.value(k_clean_pod_policy, Json());
  spec.erase(k_clean_pod_policy);
  if (policy.is_null()) policy = "Running";
  set_default(object_in(spec, "runPolicy"), k_clean_pod_policy, std::move(policy));
}

// The operators have different defaults, and this one knows two policies alone.
void set_restarts(const Kind& kind, Json& job, std::vector<Loss>& losses) {
  for (const Replica& replica : replicas_of(kind, job)) {
    const std::string pointer = replica.pointer + "/restartPolicy";
    const std::string policy = restart_policy_of(replica);
    if (policy != "Never" && policy != "OnFailure") {
      losses.push_back({pointer, cat("mpi-operator has no restart policy ", policy),
                        "--restart-policy OnFailure, or Never"});
    }
    set_at(job, pointer, policy);
    const bool is_launcher = replica.role != nullptr && replica.role->leads();
    // The field counts restarts, and the v1 job has none. mpi-operator would count new launchers as
    // well.
    if (is_launcher && policy == "Never")
      set_at(job, cat(kind.controller.run_policy, "/backoffLimit"), 0);
  }
}

// A job of a launcher alone is one without the role there.
void drop_absent_workers(const Kind& kind, Json& job) {
  for (const Role& role : kind.roles) {
    const std::string name(role.name);
    Json* all = find_in(job, kind.replica_specs);
    if (all == nullptr || role.leads() || replica_count(kind, job, role) > 0) continue;
    all->erase(name);
  }
}

// The names of workers are found a moment after they are ready, and mpirun gives up at the first
// that it does not find. It needs a shell on each of them, so that there is one in the image.
constexpr std::string_view k_await_workers =
    "i=0; while [ $i -lt $WORKERS ]; do host=$JOB-worker-$i.$JOB; "
    "if (getent hosts $host || nslookup $host) >/dev/null 2>&1; then i=$((i+1)); else sleep 1; fi; "
    "done";

Json waiting_container(const Json& program, std::int64_t workers) {
  Json waiting = {{"name", "await-workers"}, {"command", {"sh", "-c", k_await_workers}}};
  for (const char* part : {"image", "imagePullPolicy", "resources", "securityContext"}) {
    if (program.contains(part)) waiting[part] = program[part];
  }
  waiting["env"] = {from_label("JOB", k_label_job_name), kube::variable("WORKERS", workers)};
  return waiting;
}

void await_workers(const Kind& kind, Json& job) {
  std::int64_t workers = 0;
  for (const Role& role : kind.roles) workers += role.leads() ? 0 : replica_count(kind, job, role);
  if (workers == 0) return;
  for (const Replica& replica : replicas_of(kind, job)) {
    if (replica.role == nullptr || !replica.role->leads()) continue;
    const Json* program = find_container(*replica.spec, training_container(kind, *replica.spec));
    if (program == nullptr) continue;
    Json waiting = waiting_container(*program, workers);
    Json& spec = *find_in(job, replica.pointer + "/template/spec");
    list_in(spec, "initContainers").push_back(std::move(waiting));
    return;
  }
}

// Workers end with the job, and a launcher that may not restart is not retried, as with the
// training operator. Code::usage for a kind without a successor.
Result<Conversion> convert_to_successor(const Kind& kind, const Json& job) {
  const Kind* successor = successor_of(kind);
  if (successor == nullptr) {
    return Error{Code::usage, cat("there is no ", kind.resource.kind, " of another version"),
                 "leave out --api"};
  }
  Conversion result;
  result.job = job;
  result.job["apiVersion"] = successor->resource.api_version();
  Json& spec = object_in(result.job, "spec");
  move_clean_up(spec);
  if (spec.contains("mainContainer")) {
    result.losses.push_back({"/spec/mainContainer", "mpi-operator has no such field", ""});
    spec.erase("mainContainer");
  }
  // Workers without a readiness probe are ready when their sshd is started.
  set_default(spec, "launcherCreationPolicy", "WaitForWorkersReady");
  set_restarts(kind, result.job, result.losses);
  drop_absent_workers(kind, result.job);
  await_workers(kind, result.job);
  return result;
}

// https://github.com/kubeflow/trainer/issues/3737: the JobSet is deleted, and made anew for a
// TrainJob that is not complete.
constexpr std::string_view k_ttl_reruns =
    "Trainer 2.3 and older run a failed job again when its ttlSecondsAfterFinished is over; leave "
    "it out, and remove finished jobs with trainctl delete --finished --older-than 1h";

// "auto" is what Trainer does by itself; "cpu" and "gpu" are left over.
void take_processes(const Kind& kind, Json& rest, Json& trainer) {
  const std::string text = text_at(rest, kind.processes_per_pod);
  const std::int64_t processes = processes_per_pod(kind, rest);
  if (text != "auto" && text != std::to_string(processes)) return;
  take(rest, kind.processes_per_pod);
  if (text != "auto") trainer["numProcPerNode"] = processes;
}

// Kueue 0.14 and Trainer fight over the number of processes of a queued job if Trainer chooses that
// number. So this sets the number that Trainer would choose.
void set_queued_processes(const Kind& kind, Json& train_job) {
  Json& trainer = train_job["spec"]["trainer"];
  if (kind.processes_per_pod.empty() || queue_of(train_job).empty()) return;
  if (!trainer.contains("resourcesPerNode")) set_default(trainer, "numProcPerNode", 1);
}

// The API server accepts longer names than those of the pods may become.
Status check_name(const Json& job, const Nodes& all) {
  const Kind& kind = train_job_kind();
  std::vector<ReplicaId> pods = {{find_role(kind, k_node), static_cast<int>(all.count - 1)}};
  if (all.launcher) pods.push_back({find_role(kind, k_launcher), 0});
  const std::size_t longest = longest_name(kind, pods);
  std::string name = text_at(job, "/metadata/name");
  const std::size_t generated = name.empty() ? kube::k_generated_tail : 0;
  if (name.empty()) name = text_at(job, "/metadata/generateName");
  if (const auto fault = job_name_fault(kind, name + (generated > 0 ? "x" : "")); !fault.empty()) {
    return Error{Code::usage, cat("the name ", name, " ", fault, " in a TrainJob"),
                 "give the job another name"};
  }
  if (name.size() + generated <= longest) return {};
  return Error{Code::usage,
               cat("the name ", name, " is too long for a TrainJob of ", plural(all.count, "node"),
                   ": ", longest - generated, " characters at most"),
               "give the job a shorter name"};
}

void lose_leader(const Kind& kind, const Framework& framework, const Json& job,
                 std::vector<Loss>& losses) {
  if (framework.leader_becomes.empty()) return;
  for (const Replica& replica : replicas_of(kind, job)) {
    if (replica.role == nullptr || !replica.role->leads()) continue;
    losses.push_back({replica.pointer, cat("it becomes ", framework.leader_becomes), ""});
  }
}

// Trainer's own defaults are not a loss.
void take_defaults(const Kind& kind, Json& rest) {
  const std::string clean_up = cat(kind.controller.run_policy, "/cleanPodPolicy");
  if (text_at(rest, clean_up) == "Running") take(rest, clean_up);
  if (text_at(rest, "/spec/successPolicy") == "AllWorkers") take(rest, "/spec/successPolicy");
}

constexpr std::string_view k_restart_after_failure = "OnFailure";

// A replica that may not restart fails the job at once: its Job has no retries.
void take_restarts(const Nodes& nodes, Json& policy, Lifecycle& lifecycle,
                   std::vector<Loss>& losses) {
  const std::string pointer = "/restartPolicy";
  const std::string& restart = nodes.program().restart_policy;
  if (restart == "Never") {
    lifecycle.restart_policy = restart;
    lifecycle.backoff_limit = 0;
    take(policy, "/backoffLimit");  // counts restarts, of which there are none
    return;
  }
  if (restart != k_restart_after_failure) lose(nodes.program().pointer + pointer, restart, losses);
  if (const Json limit = take(policy, "/backoffLimit"); limit.is_number_integer()) {
    lifecycle.backoff_limit = limit.get<std::int64_t>();
  }
}

Lifecycle take_lifecycle(const Kind& kind, const Nodes& nodes, Json& rest,
                         std::vector<Loss>& losses) {
  Lifecycle lifecycle;
  Json none = Json::object();
  Json* policy = find_in(rest, kind.controller.run_policy);
  if (policy == nullptr) policy = &none;
  take_restarts(nodes, *policy, lifecycle, losses);
  if (const Json ttl = take(*policy, "/ttlSecondsAfterFinished"); ttl.is_number_integer()) {
    lifecycle.ttl = ttl.get<std::int64_t>();
  }
  return lifecycle;
}

void lose_lifecycle(const Kind& kind, const Nodes& nodes, const Lifecycle& lifecycle,
                    std::vector<Loss>& losses) {
  const Lifecycle usual;
  if (lifecycle.restart_policy != usual.restart_policy) {
    losses.push_back(
        {nodes.program().pointer + "/restartPolicy", "only a runtime can set it", "", true});
  } else if (lifecycle.backoff_limit != usual.backoff_limit) {
    losses.push_back(
        {cat(kind.controller.run_policy, "/backoffLimit"), "only a runtime can set it", "", true});
  }
  if (lifecycle.ttl) {
    lose(cat(kind.controller.run_policy, "/ttlSecondsAfterFinished"), *lifecycle.ttl, losses);
  }
}

Json reference_to(const std::string& kind, const std::string& name) {
  return {{"apiGroup", train_job_kind().resource.group}, {"kind", kind}, {"name", name}};
}

// The runtime is named like the job, or like the beginning of its generated name.
std::string runtime_name(const Json& metadata) {
  std::string name = text_at(metadata, "/name", text_at(metadata, "/generateName"));
  while (name.ends_with('-')) name.pop_back();
  return name;
}

void choose_runtime(const Kind& kind, const Nodes& nodes, const RuntimeInput& input,
                    const Target& target, Conversion& result) {
  Json& spec = result.job["spec"];
  const Json& metadata = result.job["metadata"];
  const OwnRuntime own = target.runtime ? OwnRuntime::never : target.own_runtime;
  const bool is_needed = own == OwnRuntime::where_needed && needs_own_runtime(input);
  if (is_needed || own == OwnRuntime::always) {
    const std::string name = runtime_name(metadata);
    result.runtime = make_runtime(input, name, text_at(metadata, "/namespace"));
    if (input.lifecycle.ttl) result.warning = k_ttl_reruns;
    spec["runtimeRef"] = reference_to("TrainingRuntime", name);
    if (input.ssh) lose_root(nodes, *input.ssh, result.losses);
    return;
  }
  if (target.runtime) {
    spec["runtimeRef"] = reference_to(target.runtime->kind, target.runtime->name);
  } else if (input.framework.runtime.empty()) {
    result.losses.push_back({"/kind", cat("Trainer has no runtime for a ", kind.resource.kind),
                             "choose a runtime of the cluster: --runtime NAME"});
  } else {
    spec["runtimeRef"] = {{"name", input.framework.runtime}};
  }
  const PatchRules& rules = patch_rules(target.patch);
  const std::string_view wanted = target.runtime ? std::string_view(target.runtime->job) : k_node;
  // Only the runtime, once read, names the job of its program.
  const std::string_view job = input.ssh && wanted == k_node ? k_launcher : wanted;
  std::vector<JobPatch> patches = {{job, input.pod.patch}};
  if (input.ssh) patches.push_back({k_node, input.ssh->workers.patch});
  if (Json value = patch_value(target.patch, std::move(patches)); !value.is_null()) {
    spec[std::string(rules.name)] = std::move(value);
  }
  lose_lifecycle(kind, nodes, input.lifecycle, result.losses);
  lose_pod(nodes.program().pointer + "/template", input.pod.needed_rest(), result.losses);
  if (input.ssh) lose_workers(nodes, input.ssh->workers, result.losses);
}

void set_deadline(const Kind& kind, const Target& target, Json& rest, Conversion& result) {
  const std::string pointer = cat(kind.controller.run_policy, "/activeDeadlineSeconds");
  Json limit = take(rest, pointer);
  if (limit.is_null()) return;
  if (patch_rules(target.patch).active_deadline) {
    result.job["spec"]["activeDeadlineSeconds"] = std::move(limit);
    return;
  }
  result.losses.push_back(
      {pointer, "it needs Trainer 2.2 or newer", "--timeout with --on-give-up=delete"});
}

}  // namespace

Result<Conversion> convert(const Kind& kind, const Json& job, const Target& target) {
  if (target.becomes == Becomes::successor) return convert_to_successor(kind, job);
  const Framework* framework = find_framework(kind);
  if (framework == nullptr) {
    return Error{
        Code::usage, cat("trainctl cannot convert a ", kind.resource.kind, " to a TrainJob"),
        "convert a PyTorchJob, TFJob, MPIJob, XGBoostJob, PaddleJob or JAXJob, or submit this one "
        "with --api=v1"};
  }
  Conversion result;
  Json rest = submitted_manifest(job);
  const Nodes nodes = unite_roles(kind, rest, result.losses);
  if (nodes.count < 1) {
    return Error{Code::usage,
                 cat("the ", kind.resource.kind,
                     nodes.launcher ? " has no workers" : " has no replica with a rank"),
                 ""};
  }
  TRY(check_name(rest, nodes));
  lose_leader(kind, *framework, rest, result.losses);
  const World world{nodes.count, processes_per_pod(kind, rest)};
  take(rest, kind.replica_specs);
  take_defaults(kind, rest);
  const Lifecycle lifecycle = take_lifecycle(kind, nodes, rest, result.losses);
  const PatchRules& rules = patch_rules(target.patch);
  PodSplit pod = split_pod(kind, nodes.program().replica, rules);
  const bool adds_arguments = target.runtime && target.runtime->has_arguments;
  if (adds_arguments) {
    TRY_ASSIGN(result.starts_through_env, start_through_env(pod.trainer));
  }
  pod.trainer.erase("env");
  // Kueue would write an empty list back as none: see write_arguments of pod_split.cpp.
  Json variables = variables_of({kind, *framework, world, job, nodes}, result.losses);
  if (!variables.empty()) pod.trainer["env"] = std::move(variables);
  pod.trainer["numNodes"] = world.nodes;
  take_processes(kind, rest, pod.trainer);
  std::optional<Ssh> ssh;
  if (nodes.launcher) {
    ssh = take_ssh(kind, nodes, rules, rest);
    pod.trainer["numProcPerNode"] = ssh->processes;
  }

  result.job = {{"apiVersion", train_job_kind().resource.api_version()},
                {"kind", train_job_kind().resource.kind},
                {"metadata", take(rest, "/metadata")}};
  choose_runtime(kind, nodes, {*framework, world, lifecycle, pod, ssh}, target, result);
  Json& spec = result.job["spec"];
  spec["trainer"] = pod.trainer;
  set_queued_processes(kind, result.job);
  if (take(rest, kind.controller.suspend) == true) spec["suspend"] = true;
  set_deadline(kind, target, rest, result);
  lose("/spec", object_at(rest, "/spec"), result.losses);
  return result;
}

Result<Json> make_template_runtime(const Kind& kind, const Json& job) {
  TRY_ASSIGN(const Conversion made, convert(kind, job, {OwnRuntime::always}));
  Json runtime = *made.runtime;
  const Json container = {{"name", k_node}, {"image", text_at(made.job, "/spec/trainer/image")}};
  Json& program = find_in(runtime, "/spec/template/spec/replicatedJobs")->back();
  strategic_merge(program["template"]["spec"]["template"],
                  {{"spec", {{"containers", Json::array({container})}}}});
  return runtime;
}

}  // namespace trainctl::job
