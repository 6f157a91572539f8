// Most of the job stays as it is; a field that only one of the APIs has is set, moved or lost.
#include "job/trainer/successor.h"

#include <utility>

#include "base/text/text.h"
#include "base/value/json_edit.h"
#include "job/manifest/container_variable.h"
#include "job/manifest/manifest.h"

namespace trainctl::job {

namespace {

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
  waiting["env"] = {from_label("JOB", k_label_job_name), literal("WORKERS", workers)};
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

}  // namespace

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

}  // namespace trainctl::job
