// Builds the objects of an MPIJob (kubeflow.org/v1) as training-operator 1.9 does.
#include "manifest/operator/mpi.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/operator/wanted_objects.h"

namespace trainctl::job {
namespace {

constexpr std::string_view k_kubectl_volume = "mpi-job-kubectl";
constexpr std::string_view k_kubectl_path = "/opt/kube";
constexpr std::string_view k_config_volume = "mpi-job-config";
constexpr std::string_view k_config_path = "/etc/mpi";
constexpr std::string_view k_kubexec = "kubexec.sh";
constexpr std::string_view k_hostfile = "hostfile";
constexpr std::string_view k_discover_hosts = "discover_hosts.sh";
constexpr int k_script_mode = 0555;
constexpr int k_file_mode = 0444;

Json item(std::string_view key, int mode) {
  return Json{{"key", key}, {"path", key}, {"mode", mode}};
}

Json config_volume(const OperatedJob& job, const Json& items) {
  return Json{{"name", k_config_volume},
              {"configMap", {{"name", mpi_config_name(job)}, {"items", items}}}};
}

Json delivery_container(const OperatedJob& job) {
  const Json amounts = Json{{"cpu", "100m"}, {"memory", "512Mi"}, {"ephemeral-storage", "5Gi"}};
  return Json{{"name", k_kubectl_delivery},
              {"image", k_kubectl_delivery_image},
              {"env", Json::array({kube::variable("TARGET_DIR", k_kubectl_path),
                                   kube::variable("NAMESPACE", job.ns)})},
              {"resources", {{"limits", amounts}, {"requests", amounts}}},
              {"volumeMounts", Json::array({kube::volume_mount(k_kubectl_volume, k_kubectl_path),
                                            kube::volume_mount(k_config_volume, k_config_path)})},
              {"imagePullPolicy", "IfNotPresent"}};
}

bool has_gpu(const OperatedReplica& replica) {
  for (const Json& container : array_at(replica.pod, "/spec/containers")) {
    for (const auto& [name, amount] : object_at(container, "/resources/limits").items()) {
      if (name.find("gpu") != std::string::npos) return true;
    }
  }
  return false;
}

bool launcher_has_gpu(const OperatedJob& job) {
  const OperatedReplica* launcher = job.find_role("Launcher");
  return launcher != nullptr && has_gpu(*launcher);
}

bool has_variable(const Json& container, std::string_view name) {
  const Json& list = array_at(container, "/env");
  return std::ranges::any_of(list,
                             [name](const Json& each) { return text_at(each, "/name") == name; });
}

void set_launcher_environment(Json& container, bool gpu) {
  const std::string kubexec = cat(k_config_path, '/', k_kubexec);
  Json& list = list_in(container, "env");
  list.push_back(kube::variable("OMPI_MCA_plm_rsh_agent", kubexec));
  list.push_back(
      kube::variable("OMPI_MCA_orte_default_hostfile", cat(k_config_path, '/', k_hostfile)));
  if (!gpu) {
    list.push_back(kube::variable("NVIDIA_VISIBLE_DEVICES", ""));
    list.push_back(kube::variable("NVIDIA_DRIVER_CAPABILITIES", ""));
  }
  if (!has_variable(container, "I_MPI_HYDRA_BOOTSTRAP")) {
    list.push_back(kube::variable("I_MPI_HYDRA_BOOTSTRAP", "rsh"));
  }
  if (!has_variable(container, "I_MPI_HYDRA_BOOTSTRAP_EXEC")) {
    list.push_back(kube::variable("I_MPI_HYDRA_BOOTSTRAP_EXEC", kubexec));
  }
}

// The first container is the main one, whatever its name.
Json& first_container(Json& pod) {
  Json& containers = list_in(object_in(pod, "spec"), "containers");
  if (containers.empty()) containers.push_back(Json::object());
  return containers[0];
}

std::int64_t slots(const OperatedJob& job) {
  return int_at(job.spec, "/slotsPerWorker").value_or(1);
}

std::string hostfile(const OperatedJob& job) {
  std::string text;
  if (launcher_has_gpu(job)) text += cat(mpi_launcher_name(job), " slots=", slots(job), '\n');
  const OperatedReplica* workers = job.find_role("Worker");
  for (int i = 0; workers != nullptr && i < workers->count; ++i) {
    text += cat(replica_name(job, "worker", i), " slots=", slots(job), '\n');
  }
  return text;
}

std::string kubexec(const OperatedJob& job) {
  const std::string container = text_at(job.spec, "/mainContainer");
  return cat("#!/bin/sh\nset -x\nPOD_NAME=$1\nshift\n", k_kubectl_path, "/kubectl exec ${POD_NAME}",
             container.empty() ? "" : cat(" --container ", container), " -- /bin/sh -c \"$*\"");
}

std::string discover_hosts(const OperatedJob& job, std::vector<std::string> running) {
  std::ranges::sort(running);
  std::string text = "#!/bin/sh";
  if (launcher_has_gpu(job)) {
    text += cat("\necho ", mpi_launcher_name(job), ':', slots(job), '\n');
  }
  for (const std::string& name : running) text += cat("\necho ", name, ':', slots(job));
  return text;
}

Json metadata_of(const OperatedJob& job, const std::string& name) {
  return Json{{"name", name},
              {"namespace", job.ns},
              {"labels", {{"app", job.name}}},
              {"ownerReferences", Json::array({owner_reference(job)})}};
}

}  // namespace

std::string mpi_launcher_name(const OperatedJob& job) {
  return cat(job.name, "-launcher");
}

std::string mpi_config_name(const OperatedJob& job) {
  return cat(job.name, "-config");
}

std::string mpi_account_name(const OperatedJob& job) {
  const OperatedReplica* launcher = job.find_role("Launcher");
  const std::string own =
      launcher == nullptr ? "" : text_at(launcher->pod, "/spec/serviceAccountName");
  return own.empty() ? mpi_launcher_name(job) : own;
}

Json mpi_launcher(const OperatedJob& job, const OperatedReplica& launcher) {
  Json labels = job_labels(job);
  labels[std::string(k_label_role)] = launcher.type;
  labels[std::string(k_label_job_role)] = k_label_master;
  Json pod = pod_from_template(job, launcher.pod, mpi_launcher_name(job), labels);
  Json& spec = object_in(pod, "spec");
  member(spec, "serviceAccountName") = mpi_account_name(job);
  list_in(spec, "initContainers").push_back(delivery_container(job));
  Json& container = first_container(pod);
  set_launcher_environment(container, has_gpu(launcher));
  Json& mounts = list_in(container, "volumeMounts");
  mounts.push_back(kube::volume_mount(k_kubectl_volume, k_kubectl_path));
  mounts.push_back(kube::volume_mount(k_config_volume, k_config_path));
  member(spec, "restartPolicy") = pod_restart_policy(launcher);
  Json& volumes = list_in(spec, "volumes");
  volumes.push_back(Json{{"name", k_kubectl_volume}, {"emptyDir", Json::object()}});
  volumes.push_back(
      config_volume(job, Json::array({item(k_kubexec, k_script_mode), item(k_hostfile, k_file_mode),
                                      item(k_discover_hosts, k_script_mode)})));
  return pod;
}

Json mpi_worker(const OperatedJob& job, const OperatedReplica& worker, int index) {
  Json labels = job_labels(job);
  labels[std::string(k_label_role)] = worker.type;
  labels[std::string(k_label_index)] = std::to_string(index);
  Json pod = pod_from_template(job, worker.pod, replica_name(job, worker.type, index), labels);
  Json& spec = object_in(pod, "spec");
  Json& container = first_container(pod);
  if (array_at(container, "/command").empty()) {
    member(container, "command") = Json::array({"sleep"});
    member(container, "args") = Json::array({"365d"});
  }
  list_in(container, "volumeMounts").push_back(kube::volume_mount(k_config_volume, k_config_path));
  member(spec, "restartPolicy") = pod_restart_policy(worker);
  list_in(spec, "volumes")
      .push_back(config_volume(job, Json::array({item(k_kubexec, k_script_mode)})));
  return pod;
}

Json mpi_pod(const OperatedJob& job, const OperatedReplica& replica, int index) {
  const Role* role = find_role(*job.kind, replica.role);
  const bool leads = role != nullptr && role->leads();
  return leads ? mpi_launcher(job, replica) : mpi_worker(job, replica, index);
}

Json mpi_account(const OperatedJob& job) {
  return Json{{"apiVersion", "v1"},
              {"kind", "ServiceAccount"},
              {"metadata", metadata_of(job, mpi_account_name(job))}};
}

Json mpi_config(const OperatedJob& job, const std::vector<std::string>& running_workers) {
  return Json{{"apiVersion", "v1"},
              {"kind", "ConfigMap"},
              {"metadata", metadata_of(job, mpi_config_name(job))},
              {"data",
               {{k_discover_hosts, discover_hosts(job, running_workers)},
                {k_hostfile, hostfile(job)},
                {k_kubexec, kubexec(job)}}}};
}

}  // namespace trainctl::job
