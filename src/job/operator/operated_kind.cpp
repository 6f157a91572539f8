// The rows of training-operator 1.9's six controllers.
#include "job/operator/operated_kind.h"

#include <algorithm>

#include "job/operator/environment.h"
#include "job/operator/mpi.h"

namespace trainctl::job {

namespace {

constexpr OperatedKind k_operated_kinds[] = {
    {.alias = "pytorch",
     .port_name = "pytorchjob-port",
     .port = 23456,
     .first_worker_leads = true,
     .set_environment = set_pytorch_environment},
    {.alias = "tf",
     .port_name = "tfjob-port",
     .port = 2222,
     .first_worker_leads = true,
     .set_environment = set_tf_environment},
    {.alias = "mpi", .clean_pod_policy = "/cleanPodPolicy", .make_pod = mpi_pod},
    {.alias = "xgboost",
     .port_name = "xgboostjob-port",
     .port = 9999,
     .set_environment = set_xgboost_environment},
    {.alias = "paddle",
     .port_name = "master",
     .port = 36543,
     .set_environment = set_paddle_environment},
    {.alias = "jax",
     .port_name = "jaxjob-port",
     .port = 6666,
     .first_worker_leads = true,
     .set_environment = set_jax_environment},
};

}  // namespace

const Kind& OperatedKind::job_kind() const {
  const auto all = operator_kinds();
  return *std::ranges::find_if(all, [this](const Kind& kind) { return kind.alias == alias; });
}

const OperatedKind* find_operated_kind(const Kind& kind) {
  for (const OperatedKind& row : k_operated_kinds) {
    if (&row.job_kind() == &kind) return &row;
  }
  return nullptr;
}

}  // namespace trainctl::job
