// TFJob of training-operator 1.9.
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/kinds/kinds.h"
#include "manifest/operator/pod_variables.h"

namespace trainctl::job {
namespace {

constexpr Role k_tf_roles[] = {
    {.name = "Chief", .prefix = "chief", .duty = Duty::leads, .single = true},
    // An older name of Chief.
    {.name = "Master", .prefix = "master", .duty = Duty::leads, .single = true},
    {.name = "Worker", .prefix = "worker"},
    {.name = "PS", .prefix = "ps", .duty = Duty::serves},
    {.name = "Evaluator", .prefix = "evaluator", .duty = Duty::serves},
};

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

void set_tf_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                        Json& pod) {
  // Roles the operator does not know count neither as replicas of the world nor in this sum.
  int known = 0;
  for (const OperatedReplica& each : job.replicas) {
    if (find_role(*job.kind, each.role) != nullptr) known += each.count;
  }
  if (known == 1) return;
  for (Json& container : list_in(object_in(pod, "spec"), "containers")) {
    if (text_at(container, "/name") != job.kind->container) continue;
    append_variables(container, {kube::variable("TF_CONFIG", tf_config(job, replica, index))});
    return;
  }
}

constexpr OperatedKind k_tf_operated = {.port_name = "tfjob-port",
                                        .port = 2222,
                                        .first_worker_leads = true,
                                        .set_environment = set_tf_environment,
                                        .verdict_rule = VerdictRule::tensorflow};

}  // namespace

Kind tensorflow_kind() {
  return {.alias = "tf",
          .resource = {"kubeflow.org", "v1", "tfjobs", "TFJob"},
          .replica_specs = "/spec/tfReplicaSpecs",
          .container = "tensorflow",
          .roles = k_tf_roles,
          .operator_name = "tfjob-controller",
          .summary = "TensorFlow distributed training (TFJob)",
          .controller = k_training_operator,
          .operated = &k_tf_operated};
}

}  // namespace trainctl::job
