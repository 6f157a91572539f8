// JAXJob of training-operator 1.9.
#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/object/metadata.h"
#include "manifest/kinds/kinds.h"
#include "manifest/operator/pod_variables.h"

namespace trainctl::job {
namespace {

constexpr Role k_jax_roles[] = {
    {.name = "Worker", .prefix = "worker"},
};

void set_jax_environment(const OperatedJob& job, const OperatedReplica&, int index, Json& pod) {
  append_variables_to_all(pod,
                          {
                              kube::variable("PYTHONUNBUFFERED", "1"),
                              kube::variable("COORDINATOR_PORT", main_port(job, "Worker")),
                              kube::variable("COORDINATOR_ADDRESS", replica_name(job, "worker", 0)),
                              kube::variable("NUM_PROCESSES", job.total()),
                              kube::variable("PROCESS_ID", index),
                          });
}

constexpr OperatedKind k_jax_operated = {.port_name = "jaxjob-port",
                                         .port = 6666,
                                         .first_worker_leads = true,
                                         .set_environment = set_jax_environment,
                                         .verdict_rule = VerdictRule::ranked,
                                         .selector_in_status = true,
                                         .honours_managed_by = false,
                                         .deleted_reason = "SuccessfulDeletePod"};

}  // namespace

Kind jax_kind() {
  return {.alias = "jax",
          .resource = {"kubeflow.org", "v1", "jaxjobs", "JAXJob"},
          .replica_specs = "/spec/jaxReplicaSpecs",
          .container = "jax",
          .roles = k_jax_roles,
          .operator_name = "jaxjob-controller",
          .world_variable = "NUM_PROCESSES",
          .summary = "JAX distributed training (JAXJob)",
          .controller = k_training_operator,
          .operated = &k_jax_operated};
}

}  // namespace trainctl::job
