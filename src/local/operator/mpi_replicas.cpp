// Reconciles pods, configuration and counts of MPIJobs, which the operator treats unlike other
// kinds.
#include <algorithm>

#include "base/text/text.h"
#include "base/value/json.h"
#include "local/api/garbage.h"
#include "local/operator/reconcile.h"
#include "manifest/operator/mpi.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::local {
namespace {

constexpr kube::Resource k_config_maps{"", "v1", "configmaps", "ConfigMap"};
constexpr kube::Resource k_accounts{"", "v1", "serviceaccounts", "ServiceAccount"};

ObjectPtr get_pod(const OperatorPass& pass, const std::string& name) {
  return pass.store.get(resource_of(kube::k_pods), pass.job.ns, name);
}

std::string phase_of(const Json& pod) {
  return text_at(pod, "/status/phase");
}

// False when an object of that name has another owner, which ends the pass.
bool is_ours(OperatorPass& pass, const Json& object, std::string_view kind) {
  if (is_owned_by(object, pass.job.uid)) return true;
  record(pass.update, "Warning", "ErrResourceExists",
         cat("Resource \"", text_at(object, "/metadata/name"), "\" of MPIJobKind \"", kind,
             "\" already exists and is not managed by MPIJob"));
  return false;
}

bool make_account(OperatorPass& pass) {
  const ServedResource& accounts = resource_of(k_accounts);
  const std::string name = mpi_account_name(pass.job);
  if (pass.store.get(accounts, pass.job.ns, name) != nullptr) {
    record(pass.update, "Normal", "ServiceAccount is exist", "ServiceAccount: " + name);
    return true;
  }
  return std::holds_alternative<Json>(pass.store.create(accounts, mpi_account(pass.job)));
}

std::vector<std::string> running_workers(const OperatorPass& pass) {
  std::vector<std::string> names;
  for (const ObjectPtr& pod : of_role(pass.update.pods, "worker")) {
    if (phase_of(*pod) == "Running") names.push_back(text_at(*pod, "/metadata/name"));
  }
  return names;
}

// The role and its binding are not served here; they would be created and deleted together with the
// configuration.
bool make_config(OperatorPass& pass) {
  const ServedResource& maps = resource_of(k_config_maps);
  const std::string name = mpi_config_name(pass.job);
  const Json wanted = mpi_config(pass.job, running_workers(pass));
  const ObjectPtr there = pass.store.get(maps, pass.job.ns, name);
  if (there == nullptr) return std::holds_alternative<Json>(pass.store.create(maps, wanted));
  if (!is_ours(pass, *there, "ConfigMap")) return false;
  modify(pass.store, maps, pass.job.ns, name,
         [&wanted](Json& map) { member(map, "data") = object_at(wanted, "/data"); });
  const std::string launcher = mpi_launcher_name(pass.job);
  record(pass.update, "Normal", "LauncherRole is exist", "LauncherRole: " + launcher);
  record(pass.update, "Normal", "RoleBinding is exist", "RoleBinding: " + launcher);
  return true;
}

bool make_worker(OperatorPass& pass, const job::OperatedReplica& workers, int index) {
  const std::string name = replica_name(pass.job, workers.type, index);
  if (const ObjectPtr there = get_pod(pass, name)) return is_ours(pass, *there, "Pod");
  const auto refusal = store_pod(pass.store, mpi_worker(pass.job, workers, index));
  if (!refusal) {
    record(pass.update, "Normal", "SuccessfulCreatePod", "Created worker pod: " + name);
    return true;
  }
  record(pass.update, "Warning", "FailedCreatePod", "Created worker pod: ");
  record(pass.update, "Warning", reason_of(pass.job, "Failed"),
         "worker pod created failed: " + refusal->message);
  return false;
}

void remove_surplus(OperatorPass& pass, const job::OperatedReplica& workers) {
  for (const ObjectPtr& pod : of_role(pass.update.pods, workers.type)) {
    if (replica_index(*pod) < workers.count) continue;
    (void)delete_object(pass.store, pass.update.now, resource_of(kube::k_pods), pass.job.ns,
                        text_at(*pod, "/metadata/name"), -1);
  }
}

bool make_workers(OperatorPass& pass) {
  const job::OperatedReplica* workers = pass.job.find_role("Worker");
  if (workers == nullptr) return true;
  remove_surplus(pass, *workers);
  for (int i = 0; i < workers->count; ++i) {
    if (!make_worker(pass, *workers, i)) return false;
  }
  return true;
}

bool make_launcher(OperatorPass& pass, const job::OperatedReplica& launcher) {
  if (!text_at(launcher.pod, "/spec/restartPolicy").empty()) {
    record(pass.update, "Warning", "SettedPodTemplateRestartPolicy",
           "Restart policy in pod template will be overwritten by restart policy in replica spec");
  }
  const auto refusal = store_pod(pass.store, mpi_launcher(pass.job, launcher));
  if (refusal) {
    record(pass.update, "Warning", reason_of(pass.job, "Failed"),
           "launcher pod created failed: " + refusal->message);
    return false;
  }
  record(pass.update, "Normal", reason_of(pass.job, "Running"),
         "launcher pod created success: " + mpi_launcher_name(pass.job));
  return true;
}

std::string full_subject(const OperatorPass& pass) {
  return cat(pass.job.kind->resource.kind, ' ', pass.job.ns, '/', pass.job.name);
}

void record_launcher(OperatorPass& pass, const Json& launcher) {
  const std::string phase = phase_of(launcher);
  if (phase == "Succeeded") {
    const std::string_view plural = pass.job.kind->resource.plural;
    record(pass.update, "Normal", cat(plural, "Succeeded"),
           full_subject(pass) + " successfully completed.");
  }
  if (phase == "Failed") {
    const std::string reason = text_at(launcher, "/status/reason");
    record(pass.update, "Warning", reason.empty() ? reason_of(pass.job, "Failed") : reason,
           full_subject(pass) + " has failed");
  }
}

// Workers are ignored once the launcher has finished.
std::vector<ObjectPtr> present_workers(const OperatorPass& pass, bool done) {
  const job::OperatedReplica* workers = pass.job.find_role("Worker");
  std::vector<ObjectPtr> pods;
  for (int i = 0; !done && workers != nullptr && i < workers->count; ++i) {
    const ObjectPtr pod = get_pod(pass, replica_name(pass.job, workers->type, i));
    if (pod != nullptr) pods.push_back(pod);
  }
  return pods;
}

void count_replicas(OperatorPass& pass, const Json& launcher, bool done) {
  auto& replicas = pass.update.status.replicas;
  // For MPIJobs, a pod counts by its phase alone, even while it is being deleted.
  const auto count = [](ReplicaCounts& counts, const Json& pod) {
    const std::string phase = phase_of(pod);
    counts.active += phase == "Running" ? 1 : 0;
    counts.succeeded += phase == "Succeeded" ? 1 : 0;
    counts.failed += phase == "Failed" ? 1 : 0;
  };
  replicas["Launcher"] = replicas["Worker"] = {};
  count(replicas["Launcher"], launcher);
  record_launcher(pass, launcher);
  const std::vector<ObjectPtr> workers = present_workers(pass, done);
  for (const ObjectPtr& pod : workers) count(replicas["Worker"], *pod);
  const auto evicted = std::ranges::count_if(workers, [](const ObjectPtr& pod) {
    return phase_of(*pod) == "Failed" && text_at(*pod, "/status/reason") == "Evicted";
  });
  if (evicted > 0) {
    record(pass.update, "Warning", reason_of(pass.job, "Evicted"),
           cat(evicted, '/', workers.size(), " workers are evicted"));
  }
  const bool all_run = replicas["Worker"].active == static_cast<int>(workers.size());
  if (phase_of(launcher) == "Running" && all_run) {
    record(pass.update, "Normal", reason_of(pass.job, "Running"),
           full_subject(pass) + " is running");
  }
}

// One round; the operator makes one for every role of the job.
bool one_round(OperatorPass& pass, const job::OperatedReplica& launcher_role) {
  const std::string name = mpi_launcher_name(pass.job);
  ObjectPtr launcher = get_pod(pass, name);
  if (launcher != nullptr && !is_ours(pass, *launcher, "Pod")) return false;
  const std::string phase = launcher == nullptr ? "" : phase_of(*launcher);
  const bool done = phase == "Succeeded" || phase == "Failed";
  if (!done) {
    if (!make_account(pass) || !make_config(pass) || !make_workers(pass)) return false;
    if (launcher == nullptr && !make_launcher(pass, launcher_role)) return false;
    launcher = get_pod(pass, name);
  }
  if (launcher != nullptr) count_replicas(pass, *launcher, done);
  return true;
}

}  // namespace

std::string mpi_fault(const Json& job) {
  const Json* map = find(job, "/spec/mpiReplicaSpecs");
  if (map == nullptr || !map->is_object()) return "MPIReplicaSpecs is not valid";
  for (const auto& [role, spec] : map->items()) {
    const Json& containers = array_at(spec, "/template/spec/containers");
    if (containers.empty()) {
      return cat("MPIReplicaSpecs is not valid: containers definition expected in ", role);
    }
    if (role != "Launcher" && role != "Worker") {
      return cat("MPIReplicaType is ", role, " but must be one of [Launcher Worker]");
    }
    for (const Json& container : containers) {
      const bool no_image = text_at(container, "/image").empty();
      if (!no_image && !text_at(container, "/name").empty()) continue;
      return cat("MPIReplicaSpec is not valid: ", no_image ? "Image" : "ImageName",
                 " is undefined in the container of ", role);
    }
    if (role == "Launcher" && int_at(spec, "/replicas").value_or(1) != 1) {
      return "MPIReplicaSpec is not valid: There must be only 1 launcher replica";
    }
  }
  if (find(*map, "/Launcher") == nullptr) {
    return "MPIReplicaSpec is not valid: Master ReplicaSpec must be present";
  }
  return "";
}

bool reconcile_mpi(OperatorPass& pass) {
  const job::OperatedReplica* launcher = pass.job.find_role("Launcher");
  if (launcher == nullptr) return false;
  JobStatus& status = pass.update.status;
  if (status.started.empty()) status.started = format_time(pass.update.now);
  for (std::size_t i = 0; i < pass.job.replicas.size(); ++i) {
    if (!one_round(pass, *launcher)) return false;
  }
  return true;
}

}  // namespace trainctl::local
