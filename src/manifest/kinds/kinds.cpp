// The six kinds of training-operator 1.9, the one of Kubeflow Trainer v2, and mpi-operator's
// MPIJob.
#include "manifest/kinds/kinds.h"

namespace trainctl::job {

std::span<const Kind> kinds() {
  static const Kind k_kinds[] = {
      pytorch_kind(),
      tensorflow_kind(),
      mpi_kind(),
      xgboost_kind(),
      paddle_kind(),
      jax_kind(),
      // Of other controllers: behind those of the training operator.
      trainjob_kind(),
      mpi_operator_kind(),
  };
  return k_kinds;
}

}  // namespace trainctl::job
