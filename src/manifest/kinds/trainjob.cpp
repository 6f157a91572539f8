// TrainJob of Kubeflow Trainer v2.
#include "manifest/kinds/kinds.h"

namespace trainctl::job {
namespace {

// The replicated jobs that Trainer knows (pkg/constants/constants.go). The runtime, and so the
// job's status, says which of them exist; a job's own manifest has only nodes.
constexpr Role k_train_roles[] = {
    {.name = "launcher",
     .prefix = "launcher",
     .duty = Duty::leads,
     .single = true,
     .default_count = 0},
    {.name = "node", .prefix = "node", .count_at = "/spec/trainer/numNodes"},
    {.name = "dataset-initializer",
     .prefix = "dataset-initializer",
     .duty = Duty::prepares,
     .single = true,
     .default_count = 0},
    {.name = "model-initializer",
     .prefix = "model-initializer",
     .duty = Duty::prepares,
     .single = true,
     .default_count = 0},
};
constexpr Helper k_train_helpers[] = {{.kind = "JobSet"},
                                      {.kind = "Job", .per_role = true, .after_role = "-0"}};

constexpr Controller k_trainer = {.run_policy = "/spec",
                                  .suspend = "/spec/suspend",
                                  .labels = {.job = "jobset.sigs.k8s.io/jobset-name",
                                             .role = "jobset.sigs.k8s.io/replicatedjob-name",
                                             .index = "batch.kubernetes.io/job-completion-index",
                                             .operator_name = ""},
                                  .pod_naming = {.before_index = "-0-", .random_tail = 5},
                                  .jobs_status = "/status/jobsStatus",
                                  .success = "Complete",
                                  .bounds_retries = true,
                                  .suspension_pauses = true,
                                  .removes_failed = true,
                                  .helpers = k_train_helpers};

}  // namespace

Kind trainjob_kind() {
  return {.alias = "trainjob",
          .resource = {"trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob"},
          .container = "node",
          .roles = k_train_roles,
          .container_required = false,
          .summary = "training by a runtime of Kubeflow Trainer v2 (TrainJob)",
          .controller = k_trainer};
}

}  // namespace trainctl::job
