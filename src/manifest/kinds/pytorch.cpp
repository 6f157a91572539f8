// PyTorchJob of training-operator 1.9. The defaults of counts and restart policies are those of the
// operator's defaulting code; what the CRD says about them is wrong
// (https://github.com/kubeflow/trainer/issues/2127).
#include "manifest/kinds/pytorch.h"

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/kinds/kinds.h"
#include "manifest/operator/pod_variables.h"

namespace trainctl::job {
namespace {

constexpr Role k_pytorch_roles[] = {
    {.name = "Master",
     .prefix = "master",
     .duty = Duty::leads,
     .single = true,
     .count_required = true,
     .restart_policy = "OnFailure"},
    {.name = "Worker", .prefix = "worker", .restart_policy = "OnFailure"},
};

// Parses like Go's Atoi; "auto", "cpu" and "gpu" count as one process.
std::int64_t processes_per_node(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_number<std::int64_t>(text).value_or(1);
}

std::string nproc_per_node(const OperatedJob& job) {
  if (find(job.spec, "/nprocPerNode") != nullptr) return text_at(job.spec, "/nprocPerNode");
  return int_at(job.spec, "/elasticPolicy/nProcPerNode") ? "" : "auto";
}

std::string rendezvous_configuration(const Json& policy) {
  std::vector<std::string> pairs;
  for (const Json& pair : array_at(policy, "/rdzvConf")) {
    pairs.push_back(cat(text_at(pair, "/key"), '=', text_at(pair, "/value")));
  }
  return join(pairs, ",");
}

// The range "min:max"; one alone counts for both, and without either it is the number of workers.
std::string node_range(const OperatedJob& job, const Json& policy) {
  const OperatedReplica* workers = job.find_role("Worker");
  const std::int64_t count = workers == nullptr ? 0 : workers->count;
  const auto least = int_at(policy, "/minReplicas");
  const auto most = int_at(policy, "/maxReplicas");
  return cat(least.value_or(most.value_or(count)), ':', most.value_or(least.value_or(count)));
}

std::vector<Json> elastic_variables(const OperatedJob& job, const Json& policy) {
  const std::string host = text_at(policy, "/rdzvHost", replica_name(job, "worker", 0));
  const auto port = int_at(policy, "/rdzvPort").value_or(main_port(job, "Worker"));
  std::vector<Json> list = {
      kube::variable("PET_RDZV_ENDPOINT", cat(host, ':', port)),
      kube::variable("PET_RDZV_BACKEND", text_at(policy, "/rdzvBackend", "c10d")),
      kube::variable("PET_NNODES", node_range(job, policy)),
  };
  if (const auto restarts = int_at(policy, "/maxRestarts")) {
    list.push_back(kube::variable("PET_MAX_RESTARTS", *restarts));
  }
  if (const auto processes = int_at(policy, "/nProcPerNode")) {
    list.push_back(kube::variable("PET_NPROC_PER_NODE", *processes));
  }
  if (find(policy, "/rdzvId") != nullptr) {
    list.push_back(kube::variable("PET_RDZV_ID", text_at(policy, "/rdzvId")));
  }
  const std::string configuration = rendezvous_configuration(policy);
  if (!configuration.empty()) list.push_back(kube::variable("PET_RDZV_CONF", configuration));
  if (true_at(policy, "/standalone")) list.push_back(kube::variable("PET_STANDALONE", ""));
  return list;
}

std::vector<Json> master_variables(const OperatedJob& job, const OperatedReplica& replica,
                                   int index, std::string_view nproc) {
  const auto port = main_port(job, "Master");
  const std::string address = replica_name(job, "master", 0);
  const int rank = replica.type == "worker" ? index + 1 : index;
  return {
      kube::variable("MASTER_PORT", port),
      kube::variable("PET_MASTER_PORT", port),
      kube::variable("MASTER_ADDR", address),
      kube::variable("PET_MASTER_ADDR", address),
      kube::variable("WORLD_SIZE", job.total() * processes_per_node(nproc)),
      kube::variable("RANK", rank),
      kube::variable("PET_NODE_RANK", rank),
  };
}

Json waiting_container(const std::string& master) {
  const std::string script = cat("err=1;for i in $(seq 100); do if nslookup ", master,
                                 "; then err=0 && break; fi;echo waiting for master; sleep 2; "
                                 "done; exit $err");
  return Json{{"name", k_init_pytorch},
              {"image", k_init_pytorch_image},
              {"command", {"sh", "-c", script}},
              {"resources",
               {{"limits", {{"cpu", "100m"}, {"memory", "20Mi"}}},
                {"requests", {{"cpu", "50m"}, {"memory", "10Mi"}}}}},
              {"imagePullPolicy", "IfNotPresent"}};
}

void set_pytorch_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                             Json& pod) {
  const std::string nproc = nproc_per_node(job);
  std::vector<Json> list = {kube::variable("PYTHONUNBUFFERED", "1")};
  const auto add = [&list](const std::vector<Json>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  if (job.has_leader()) add(master_variables(job, replica, index, nproc));
  if (!nproc.empty()) list.push_back(kube::variable("PET_NPROC_PER_NODE", nproc));
  const Json* policy = find(job.spec, "/elasticPolicy");
  if (policy != nullptr && policy->is_object()) {
    add(elastic_variables(job, *policy));
  } else {
    list.push_back(kube::variable("PET_NNODES", job.total()));
  }
  append_variables_to_all(pod, list);
  if (job.has_leader() && replica.type == "worker") {
    list_in(object_in(pod, "spec"), "initContainers")
        .push_back(waiting_container(replica_name(job, "master", 0)));
  }
}

constexpr OperatedKind k_pytorch_operated = {.port_name = "pytorchjob-port",
                                             .port = 23456,
                                             .first_worker_leads = true,
                                             .set_environment = set_pytorch_environment,
                                             .verdict_rule = VerdictRule::ranked_or_elastic,
                                             .selector_in_status = true,
                                             .deleted_reason = "SuccessfulDeletePod"};

}  // namespace

Kind pytorch_kind() {
  return {.alias = "pytorch",
          .resource = {"kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"},
          .replica_specs = "/spec/pytorchReplicaSpecs",
          .container = "pytorch",
          .roles = k_pytorch_roles,
          .operator_name = "pytorchjob-controller",
          .leader = Leader::rendezvous,
          .processes_per_pod = "/spec/nprocPerNode",
          .world_variable = "WORLD_SIZE",
          .summary = "PyTorch distributed training (PyTorchJob)",
          .controller = k_training_operator,
          .operated = &k_pytorch_operated};
}

}  // namespace trainctl::job
