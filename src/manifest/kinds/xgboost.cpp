// XGBoostJob of training-operator 1.9.
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/kinds/kinds.h"
#include "manifest/operator/pod_variables.h"

namespace trainctl::job {
namespace {

constexpr Role k_xgboost_roles[] = {
    {.name = "Master",
     .prefix = "master",
     .duty = Duty::leads,
     .single = true,
     .count_required = true},
    {.name = "Worker", .prefix = "worker"},
};

void set_xgboost_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                             Json& pod) {
  const OperatedReplica* master = job.find_role("Master");
  const int masters = master == nullptr ? 0 : master->count;
  std::vector<Json> list = {
      kube::variable("MASTER_PORT", main_port(job, "Master")),
      kube::variable("MASTER_ADDR", replica_name(job, "master", 0)),
      kube::variable("WORLD_SIZE", job.total()),
      kube::variable("RANK", replica.type == "worker" ? index + masters : index),
      kube::variable("PYTHONUNBUFFERED", "1"),
  };
  if (job.total() > 1) {
    std::vector<std::string> workers;
    for (int i = 0; i < job.total() - 1; ++i) workers.push_back(replica_name(job, "worker", i));
    list.push_back(kube::variable("WORKER_PORT", main_port(job, "Worker")));
    list.push_back(kube::variable("WORKER_ADDRS", join(workers, ",")));
  }
  append_variables_to_all(pod, list);
}

constexpr OperatedKind k_xgboost_operated = {.port_name = "xgboostjob-port",
                                             .port = 9999,
                                             .set_environment = set_xgboost_environment,
                                             .verdict_rule = VerdictRule::led_once_running};

}  // namespace

Kind xgboost_kind() {
  return {.alias = "xgboost",
          .resource = {"kubeflow.org", "v1", "xgboostjobs", "XGBoostJob"},
          .replica_specs = "/spec/xgbReplicaSpecs",
          .container = "xgboost",
          .roles = k_xgboost_roles,
          .operator_name = "xgboostjob-controller",
          .leader = Leader::required,
          .world_variable = "WORLD_SIZE",
          .summary = "XGBoost distributed training (XGBoostJob)",
          .controller = k_training_operator,
          .operated = &k_xgboost_operated};
}

}  // namespace trainctl::job
