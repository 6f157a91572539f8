// Names of Trainer v2 and JobSet that jobs and their pods carry.
#pragma once

#include <string_view>

#include "job/kind/kind.h"

namespace trainctl::job {

// The replicated job, and its container, that Trainer configures (pkg/constants/constants.go).
inline constexpr std::string_view k_node = "node";
// The replicated job that starts the nodes' processes, where there is one.
inline constexpr std::string_view k_launcher = "launcher";
inline constexpr std::string_view k_label_step = "trainer.kubeflow.org/trainjob-ancestor-step";
inline constexpr std::string_view k_label_framework = "trainer.kubeflow.org/framework";

// The row of TrainJob in the table of kinds.
const Kind& train_job_kind();

}  // namespace trainctl::job
