// Names of Trainer v2 and JobSet that jobs and their pods carry.
#pragma once

#include <string_view>

#include "job/kind/kind.h"

namespace trainctl::job {

inline constexpr std::string_view k_trainer_version = "trainer.kubeflow.org/v1alpha1";
// The replicated job, and its container, that Trainer configures (pkg/constants/constants.go).
inline constexpr std::string_view k_node = "node";
inline constexpr std::string_view k_label_step = "trainer.kubeflow.org/trainjob-ancestor-step";
inline constexpr std::string_view k_label_framework = "trainer.kubeflow.org/framework";

// Labels of the pods: the TrainJob's name (its JobSet has the same), and the index of the node
// (JobSet's and the Job controller's API documentation).
inline constexpr std::string_view k_label_jobset = "jobset.sigs.k8s.io/jobset-name";
inline constexpr std::string_view k_label_node_index = "batch.kubernetes.io/job-completion-index";

// The row of TrainJob in the table of kinds.
const Kind& train_job_kind();

}  // namespace trainctl::job
