// PaddleJob of training-operator 1.9. The defaults of counts and restart policies are those of the
// operator's defaulting code; what the CRD says about them is wrong
// (https://github.com/kubeflow/trainer/issues/2127).
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/kinds/kinds.h"
#include "manifest/operator/pod_variables.h"

namespace trainctl::job {
namespace {

constexpr Role k_paddle_roles[] = {
    {.name = "Master", .prefix = "master", .duty = Duty::leads, .restart_policy = "OnFailure"},
    {.name = "Worker", .prefix = "worker", .restart_policy = "OnFailure"},
};

void set_paddle_environment(const OperatedJob& job, const OperatedReplica& replica, int index,
                            Json& pod) {
  const std::string_view host_role = job.has_leader() ? "Master" : "Worker";
  const std::string host_type = lower(host_role);
  const auto port = main_port(job, host_role);
  std::vector<Json> list = {
      kube::variable("PYTHONUNBUFFERED", "1"),
      kube::variable("PADDLE_JOB_ID", job.name),
      kube::variable("PADDLE_NNODES", job.total()),
  };
  if (index == 0 && replica.type == host_type) {
    list.push_back(Json{{"name", "POD_IP_DUMMY"},
                        {"valueFrom", {{"fieldRef", {{"fieldPath", "status.podIP"}}}}}});
    list.push_back(kube::variable("PADDLE_MASTER", cat("$(POD_IP_DUMMY):", port)));
  } else {
    const std::string host = replica_name(job, host_type, 0);
    list.push_back(kube::variable("PADDLE_MASTER", cat(host, ':', port)));
  }
  if (job.has_leader()) {
    const bool serves = replica.type == host_type;
    list.push_back(kube::variable(serves ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM", "1"));
  }
  append_variables_to_all(pod, list);
}

constexpr OperatedKind k_paddle_operated = {.port_name = "master",
                                            .port = 36543,
                                            .set_environment = set_paddle_environment,
                                            .verdict_rule = VerdictRule::ranked,
                                            .selector_in_status = true,
                                            .deleted_reason = "SuccessfulDeletePod"};

}  // namespace

Kind paddle_kind() {
  return {.alias = "paddle",
          .resource = {"kubeflow.org", "v1", "paddlejobs", "PaddleJob"},
          .replica_specs = "/spec/paddleReplicaSpecs",
          .container = "paddle",
          .roles = k_paddle_roles,
          .operator_name = "paddlejob-controller",
          .world_variable = "PADDLE_NNODES",
          .summary = "PaddlePaddle distributed training (PaddleJob)",
          .controller = k_training_operator,
          .operated = &k_paddle_operated};
}

}  // namespace trainctl::job
