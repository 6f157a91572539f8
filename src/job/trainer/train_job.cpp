// The row of the kind that Trainer v2 serves.
#include "job/trainer/train_job.h"

namespace trainctl::job {

const Kind& train_job_kind() {
  static constexpr Role k_roles[] = {{.name = "node", .prefix = "node"}};
  static constexpr Kind k_kind = {
      .alias = "trainjob",
      .resource = {"trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob"},
      .replica_specs = "",
      .run_policy = "/spec",
      .suspend = "/spec/suspend",
      .container = "node",
      .roles = k_roles,
      .operator_name = "",
      .summary = ""};
  const Kind* known = find_kind(k_kind.alias);
  return known == nullptr ? k_kind : *known;
}

}  // namespace trainctl::job
