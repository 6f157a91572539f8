// The six kinds of training-operator 1.9.
#include "job/kind/kind.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace trainctl::job {

namespace {

constexpr Role k_pytorch_roles[] = {
    {.name = "Master", .prefix = "master", .leads = true, .single = true, .count_required = true},
    {.name = "Worker", .prefix = "worker"},
};
constexpr Role k_tf_roles[] = {
    {.name = "Chief", .prefix = "chief", .leads = true, .single = true},
    {.name = "Master",
     .prefix = "master",
     .leads = true,
     .single = true},  // an older name of Chief
    {.name = "Worker", .prefix = "worker"},
    {.name = "PS", .prefix = "ps", .ranked = false},
    {.name = "Evaluator", .prefix = "evaluator", .ranked = false},
};
constexpr Role k_mpi_roles[] = {
    {.name = "Launcher", .prefix = "launcher", .leads = true, .single = true, .numbered = false},
    {.name = "Worker", .prefix = "worker", .default_count = 0},
};
constexpr Role k_xgboost_roles[] = {
    {.name = "Master", .prefix = "master", .leads = true, .single = true, .count_required = true},
    {.name = "Worker", .prefix = "worker"},
};
constexpr Role k_paddle_roles[] = {
    {.name = "Master", .prefix = "master", .leads = true},
    {.name = "Worker", .prefix = "worker"},
};
constexpr Role k_jax_roles[] = {
    {.name = "Worker", .prefix = "worker"},
};

constexpr Kind k_kinds[] = {
    {.alias = "pytorch",
     .resource = {"kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"},
     .replica_specs = "/spec/pytorchReplicaSpecs",
     .run_policy = "/spec/runPolicy",
     .suspend = "/spec/runPolicy/suspend",
     .container = "pytorch",
     .roles = k_pytorch_roles,
     .operator_name = "pytorchjob-controller",
     .rendezvous_by_leader = true,
     .processes_per_pod = "/spec/nprocPerNode",
     .world_variable = "WORLD_SIZE",
     .summary = "PyTorch distributed training (PyTorchJob)"},
    {.alias = "tf",
     .resource = {"kubeflow.org", "v1", "tfjobs", "TFJob"},
     .replica_specs = "/spec/tfReplicaSpecs",
     .run_policy = "/spec/runPolicy",
     .suspend = "/spec/runPolicy/suspend",
     .container = "tensorflow",
     .roles = k_tf_roles,
     .operator_name = "tfjob-controller",
     .summary = "TensorFlow distributed training (TFJob)"},
    {.alias = "mpi",
     .resource = {"kubeflow.org", "v1", "mpijobs", "MPIJob"},
     .replica_specs = "/spec/mpiReplicaSpecs",
     .run_policy = "/spec/runPolicy",
     .suspend = "/spec/runPolicy/suspend",
     .container = "mpi",
     .roles = k_mpi_roles,
     .operator_name = "mpijob-controller",
     .leader_required = true,
     .service_per_pod = false,
     .container_required = false,
     .leader_runs_words = true,
     .summary = "MPI and Horovod training (MPIJob)"},
    {.alias = "xgboost",
     .resource = {"kubeflow.org", "v1", "xgboostjobs", "XGBoostJob"},
     .replica_specs = "/spec/xgbReplicaSpecs",
     .run_policy = "/spec/runPolicy",
     .suspend = "/spec/runPolicy/suspend",
     .container = "xgboost",
     .roles = k_xgboost_roles,
     .operator_name = "xgboostjob-controller",
     .leader_required = true,
     .world_variable = "WORLD_SIZE",
     .summary = "XGBoost distributed training (XGBoostJob)"},
    {.alias = "paddle",
     .resource = {"kubeflow.org", "v1", "paddlejobs", "PaddleJob"},
     .replica_specs = "/spec/paddleReplicaSpecs",
     .run_policy = "/spec/runPolicy",
     .suspend = "/spec/runPolicy/suspend",
     .container = "paddle",
     .roles = k_paddle_roles,
     .operator_name = "paddlejob-controller",
     .world_variable = "PADDLE_NNODES",
     .summary = "PaddlePaddle distributed training (PaddleJob)"},
    {.alias = "jax",
     .resource = {"kubeflow.org", "v1", "jaxjobs", "JAXJob"},
     .replica_specs = "/spec/jaxReplicaSpecs",
     .run_policy = "/spec/runPolicy",
     .suspend = "/spec/runPolicy/suspend",
     .container = "jax",
     .roles = k_jax_roles,
     .operator_name = "jaxjob-controller",
     .world_variable = "NUM_PROCESSES",
     .summary = "JAX distributed training (JAXJob)"},
};

}  // namespace

std::span<const Kind> kinds() {
  return k_kinds;
}

const Kind* find_kind(std::string_view text) {
  const std::string wanted = lower(text);
  for (const Kind& kind : k_kinds) {
    const std::string singular = lower(kind.resource.kind);
    const std::array<std::string, 5> names = {std::string(kind.alias), singular,
                                              std::string(kind.resource.plural),
                                              cat(singular, '.', kind.resource.group),
                                              cat(kind.resource.plural, '.', kind.resource.group)};
    if (std::find(names.begin(), names.end(), wanted) != names.end()) return &kind;
  }
  return nullptr;
}

const Kind* kind_of(const Json& object) {
  const std::string api_version = text_at(object, "/apiVersion");
  const std::string name = text_at(object, "/kind");
  for (const Kind& kind : k_kinds) {
    if (name == kind.resource.kind && api_version == kind.resource.api_version()) return &kind;
  }
  return nullptr;
}

const Role* find_role(const Kind& kind, std::string_view name_or_prefix) {
  for (const Role& role : kind.roles) {
    if (name_or_prefix == role.name || name_or_prefix == role.prefix) return &role;
  }
  return nullptr;
}

std::string pod_selector(const Kind* kind, std::string_view job_name) {
  const std::string of_any_kind = cat(k_label_job_name, '=', job_name);
  if (kind == nullptr) return of_any_kind;
  return cat(of_any_kind, ',', k_label_operator, '=', kind->operator_name);
}

int replica_count(const Kind& kind, const Json& manifest, const Role& role) {
  const std::string place = cat(kind.replica_specs, '/', role.name);
  if (find(manifest, place) == nullptr) return 0;
  const auto count = int_at(manifest, place + "/replicas");
  return static_cast<int>(
      std::clamp<std::int64_t>(count.value_or(role.default_count), 0, k_most_replicas));
}

}  // namespace trainctl::job
