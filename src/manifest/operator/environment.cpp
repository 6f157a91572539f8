// Builds the variables with names, values and order as training-operator 1.9 writes them into pods.
#include "manifest/operator/environment.h"

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"

namespace trainctl::job {

namespace {

using kube::variable;

Json variable(std::string_view name, std::int64_t value) {
  return variable(name, std::to_string(value));
}

void append(Json& container, const std::vector<Json>& variables) {
  Json& list = list_in(container, "env");
  for (const Json& each : variables) list.push_back(each);
}

void append_to_all(Json& pod, const std::vector<Json>& variables) {
  for (Json& container : list_in(object_in(pod, "spec"), "containers")) {
    append(container, variables);
  }
}

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
      variable("PET_RDZV_ENDPOINT", cat(host, ':', port)),
      variable("PET_RDZV_BACKEND", text_at(policy, "/rdzvBackend", "c10d")),
      variable("PET_NNODES", node_range(job, policy)),
  };
  if (const auto restarts = int_at(policy, "/maxRestarts")) {
    list.push_back(variable("PET_MAX_RESTARTS", *restarts));
  }
  if (const auto processes = int_at(policy, "/nProcPerNode")) {
    list.push_back(variable("PET_NPROC_PER_NODE", *processes));
  }
  if (find(policy, "/rdzvId") != nullptr) {
    list.push_back(variable("PET_RDZV_ID", text_at(policy, "/rdzvId")));
  }
  const std::string configuration = rendezvous_configuration(policy);
  if (!configuration.empty()) list.push_back(variable("PET_RDZV_CONF", configuration));
  if (true_at(policy, "/standalone")) list.push_back(variable("PET_STANDALONE", ""));
  return list;
}

std::vector<Json> master_variables(const OperatedJob& job, const OperatedReplica& replica,
                                   int index, std::string_view nproc) {
  const auto port = main_port(job, "Master");
  const std::string address = replica_name(job, "master", 0);
  const int rank = replica.type == "worker" ? index + 1 : index;
  return {
      variable("MASTER_PORT", port),
      variable("PET_MASTER_PORT", port),
      variable("MASTER_ADDR", address),
      variable("PET_MASTER_ADDR", address),
      variable("WORLD_SIZE", job.total() * processes_per_node(nproc)),
      variable("RANK", rank),
      variable("PET_NODE_RANK", rank),
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

// Every replica of a TFJob by its role, as TF_CONFIG lists them.
Json tf_cluster(const OperatedJob& job) {
  Json cluster = Json::object();
  std::vector<const OperatedReplica*> by_type;
  for (const OperatedReplica& replica : job.replicas) by_type.push_back(&replica);
  std::ranges::sort(by_type, [](const OperatedReplica* a, const OperatedReplica* b) {
    return a->type < b->type;
  });
  for (const OperatedReplica* replica : by_type) {
    Json& endpoints = list_in(cluster, replica->type);
    for (int i = 0; i < replica->count; ++i) {
      endpoints.push_back(cat(replica_name(job, replica->type, i), '.', job.ns,
                              ".svc:", main_port(job, replica->role)));
    }
  }
  return cluster;
}

// With dynamic workers a worker knows itself and every server, a server only itself.
Json sparse_tf_cluster(const Json& cluster, const OperatedReplica& replica, int index) {
  const std::string own = text_at(cluster, cat('/', replica.type, '/', index));
  Json worker = Json::object();
  Json ps = Json::array();
  if (replica.type == "ps") ps.push_back(own);
  if (replica.type == "worker") {
    worker[std::to_string(index)] = own;
    const Json* servers = find(cluster, "/ps");
    ps = servers == nullptr ? Json(nullptr) : *servers;
  }
  return Json{{"worker", worker}, {"ps", ps}};
}

std::string tf_config(const OperatedJob& job, const OperatedReplica& replica, int index) {
  const Json cluster = tf_cluster(job);
  const Json task = Json{{"type", replica.type}, {"index", index}};
  if (true_at(job.spec, "/enableDynamicWorker")) {
    return dump(Json{{"cluster", sparse_tf_cluster(cluster, replica, index)}, {"task", task}});
  }
  return dump(Json{{"cluster", cluster}, {"task", task}, {"environment", "cloud"}});
}

}  // namespace

void set_pytorch_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                             Json& pod) {
  const std::string nproc = nproc_per_node(job);
  std::vector<Json> list = {variable("PYTHONUNBUFFERED", "1")};
  const auto add = [&list](const std::vector<Json>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  if (job.has_leader()) add(master_variables(job, replica, index, nproc));
  if (!nproc.empty()) list.push_back(variable("PET_NPROC_PER_NODE", nproc));
  const Json* policy = find(job.spec, "/elasticPolicy");
  if (policy != nullptr && policy->is_object()) {
    add(elastic_variables(job, *policy));
  } else {
    list.push_back(variable("PET_NNODES", job.total()));
  }
  append_to_all(pod, list);
  if (job.has_leader() && replica.type == "worker") {
    list_in(object_in(pod, "spec"), "initContainers")
        .push_back(waiting_container(replica_name(job, "master", 0)));
  }
}

void set_tf_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                        Json& pod) {
  // Roles the operator does not know count neither as replicas of the world nor in this sum.
  int known = 0;
  for (const OperatedReplica& each : job.replicas) {
    if (find_role(job.kind->job_kind(), each.role) != nullptr) known += each.count;
  }
  if (known == 1) return;
  for (Json& container : list_in(object_in(pod, "spec"), "containers")) {
    if (text_at(container, "/name") != job.kind->job_kind().container) continue;
    append(container, {variable("TF_CONFIG", tf_config(job, replica, index))});
    return;
  }
}

void set_xgboost_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                             Json& pod) {
  const OperatedReplica* master = job.find_role("Master");
  const int masters = master == nullptr ? 0 : master->count;
  std::vector<Json> list = {
      variable("MASTER_PORT", main_port(job, "Master")),
      variable("MASTER_ADDR", replica_name(job, "master", 0)),
      variable("WORLD_SIZE", job.total()),
      variable("RANK", replica.type == "worker" ? index + masters : index),
      variable("PYTHONUNBUFFERED", "1"),
  };
  if (job.total() > 1) {
    std::vector<std::string> workers;
    for (int i = 0; i < job.total() - 1; ++i) workers.push_back(replica_name(job, "worker", i));
    list.push_back(variable("WORKER_PORT", main_port(job, "Worker")));
    list.push_back(variable("WORKER_ADDRS", join(workers, ",")));
  }
  append_to_all(pod, list);
}

void set_paddle_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                            Json& pod) {
  const std::string_view host_role = job.has_leader() ? "Master" : "Worker";
  const std::string host_type = lower(host_role);
  const auto port = main_port(job, host_role);
  std::vector<Json> list = {
      variable("PYTHONUNBUFFERED", "1"),
      variable("PADDLE_JOB_ID", job.name),
      variable("PADDLE_NNODES", job.total()),
  };
  if (index == 0 && replica.type == host_type) {
    list.push_back(Json{{"name", "POD_IP_DUMMY"},
                        {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}});
    list.push_back(variable("PADDLE_MASTER", cat("$(POD_IP_DUMMY):", port)));
  } else {
    const std::string host = replica_name(job, host_type, 0);
    list.push_back(variable("PADDLE_MASTER", cat(host, ':', port)));
  }
  if (job.has_leader()) {
    const bool serves = replica.type == host_type;
    list.push_back(variable(serves ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM", "1"));
  }
  append_to_all(pod, list);
}

void set_jax_environment(const OperatedJob& job, const OperatedReplica&, int index, Json& pod) {
  append_to_all(pod, {
                         variable("PYTHONUNBUFFERED", "1"),
                         variable("COORDINATOR_PORT", main_port(job, "Worker")),
                         variable("COORDINATOR_ADDRESS", replica_name(job, "worker", 0)),
                         variable("NUM_PROCESSES", job.total()),
                         variable("PROCESS_ID", index),
                     });
}

}  // namespace trainctl::job
