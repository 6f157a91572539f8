// The rows of the table of kinds, each in a file of its own.
#pragma once

#include "manifest/kind/kind.h"
#include "manifest/operator/operated_job.h"

namespace trainctl::job {

inline constexpr Controller k_training_operator = {.run_policy = "/spec/runPolicy",
                                                   .suspend = "/spec/runPolicy/suspend"};

Kind pytorch_kind();
Kind tensorflow_kind();
Kind mpi_kind();
Kind xgboost_kind();
Kind paddle_kind();
Kind jax_kind();
Kind trainjob_kind();
Kind mpi_operator_kind();

}  // namespace trainctl::job
