// The six kinds of training-operator 1.9, the one of Kubeflow Trainer v2, and mpi-operator's
// MPIJob.
#include "manifest/kind/kind.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace trainctl::job {

namespace {

using enum Duty;

constexpr std::string_view k_on_failure = "OnFailure";

// The defaults of counts and restart policies are those of each operator's defaulting code
// (pkg/apis/kubeflow.org/v1/*_defaults.go); what the CRDs say about them is wrong for PyTorch and
// Paddle (https://github.com/kubeflow/trainer/issues/2127).
constexpr Role k_pytorch_roles[] = {
    {.name = "Master",
     .prefix = "master",
     .duty = leads,
     .single = true,
     .count_required = true,
     .restart_policy = k_on_failure},
    {.name = "Worker", .prefix = "worker", .restart_policy = k_on_failure},
};
constexpr Role k_tf_roles[] = {
    {.name = "Chief", .prefix = "chief", .duty = leads, .single = true},
    // An older name of Chief.
    {.name = "Master", .prefix = "master", .duty = leads, .single = true},
    {.name = "Worker", .prefix = "worker"},
    {.name = "PS", .prefix = "ps", .duty = serves},
    {.name = "Evaluator", .prefix = "evaluator", .duty = serves},
};
constexpr Role k_mpi_roles[] = {
    {.name = "Launcher", .prefix = "launcher", .duty = leads, .single = true, .numbered = false},
    {.name = "Worker", .prefix = "worker", .default_count = 0},
};
// mpi-operator makes a Job of the launcher.
constexpr Role k_mpi_operator_roles[] = {
    {.name = "Launcher",
     .prefix = "launcher",
     .duty = leads,
     .single = true,
     .numbered = false,
     .restart_policy = k_on_failure},
    {.name = "Worker", .prefix = "worker", .never_empty = true, .default_count = 0},
};
constexpr Role k_xgboost_roles[] = {
    {.name = "Master", .prefix = "master", .duty = leads, .single = true, .count_required = true},
    {.name = "Worker", .prefix = "worker"},
};
constexpr Role k_paddle_roles[] = {
    {.name = "Master", .prefix = "master", .duty = leads, .restart_policy = k_on_failure},
    {.name = "Worker", .prefix = "worker", .restart_policy = k_on_failure},
};
constexpr Role k_jax_roles[] = {
    {.name = "Worker", .prefix = "worker"},
};

// The replicated jobs that Trainer knows (pkg/constants/constants.go). The runtime, and so the
// job's status, says which of them exist; a job's own manifest has only nodes.
constexpr Role k_train_roles[] = {
    {.name = "launcher", .prefix = "launcher", .duty = leads, .single = true, .default_count = 0},
    {.name = "node", .prefix = "node", .count_at = "/spec/trainer/numNodes"},
    {.name = "dataset-initializer",
     .prefix = "dataset-initializer",
     .duty = prepares,
     .single = true,
     .default_count = 0},
    {.name = "model-initializer",
     .prefix = "model-initializer",
     .duty = prepares,
     .single = true,
     .default_count = 0},
};
constexpr Helper k_train_helpers[] = {{.kind = "JobSet"},
                                      {.kind = "Job", .per_role = true, .after_role = "-0"}};

// The labels that mpi-operator 0.8 puts on its pods (pkg/apis/kubeflow/v2beta1/types.go). A Job
// makes the launcher's pods, one after another as they fail. The label with an index counts a
// launcher that works as well, so that index differs from the one in a worker's name.
constexpr PodLabels k_mpi_operator_labels = {.job = k_label_job_name,
                                             .role = k_label_job_role,
                                             .index = "",
                                             .operator_name = k_label_operator};
constexpr Helper k_mpi_helpers[] = {{.kind = "Job", .per_role = true}};

constexpr Controller k_training_operator = {.run_policy = "/spec/runPolicy",
                                            .suspend = "/spec/runPolicy/suspend"};
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
constexpr Controller k_mpi_operator = {.run_policy = "/spec/runPolicy",
                                       .suspend = "/spec/runPolicy/suspend",
                                       .labels = k_mpi_operator_labels,
                                       .pod_naming = {.random_tail = 5, .tail_behind_index = false},
                                       .bounds_retries = true,
                                       .suspension_pauses = true,
                                       .restart_policies = "OnFailure Never",
                                       .managed_by_values =
                                           "kubeflow.org/mpi-operator "
                                           "kueue.x-k8s.io/multikueue",
                                       .helpers = k_mpi_helpers};

constexpr Kind k_kinds[] = {
    {.alias = "pytorch",
     .resource = {"kubeflow.org", "v1", "pytorchjobs", "PyTorchJob"},
     .replica_specs = "/spec/pytorchReplicaSpecs",
     .container = "pytorch",
     .roles = k_pytorch_roles,
     .operator_name = "pytorchjob-controller",
     .leader = Leader::rendezvous,
     .processes_per_pod = "/spec/nprocPerNode",
     .world_variable = "WORLD_SIZE",
     .summary = "PyTorch distributed training (PyTorchJob)",
     .controller = k_training_operator},
    {.alias = "tf",
     .resource = {"kubeflow.org", "v1", "tfjobs", "TFJob"},
     .replica_specs = "/spec/tfReplicaSpecs",
     .container = "tensorflow",
     .roles = k_tf_roles,
     .operator_name = "tfjob-controller",
     .summary = "TensorFlow distributed training (TFJob)",
     .controller = k_training_operator},
    {.alias = "mpi",
     .resource = {"kubeflow.org", "v1", "mpijobs", "MPIJob"},
     .replica_specs = "/spec/mpiReplicaSpecs",
     .container = "mpi",
     .roles = k_mpi_roles,
     .operator_name = "mpijob-controller",
     .leader = Leader::launcher,
     .service_per_pod = false,
     .container_required = false,
     .summary = "MPI and Horovod training (MPIJob)",
     .controller = k_training_operator},
    {.alias = "xgboost",
     .resource = {"kubeflow.org", "v1", "xgboostjobs", "XGBoostJob"},
     .replica_specs = "/spec/xgbReplicaSpecs",
     .container = "xgboost",
     .roles = k_xgboost_roles,
     .operator_name = "xgboostjob-controller",
     .leader = Leader::required,
     .world_variable = "WORLD_SIZE",
     .summary = "XGBoost distributed training (XGBoostJob)",
     .controller = k_training_operator},
    {.alias = "paddle",
     .resource = {"kubeflow.org", "v1", "paddlejobs", "PaddleJob"},
     .replica_specs = "/spec/paddleReplicaSpecs",
     .container = "paddle",
     .roles = k_paddle_roles,
     .operator_name = "paddlejob-controller",
     .world_variable = "PADDLE_NNODES",
     .summary = "PaddlePaddle distributed training (PaddleJob)",
     .controller = k_training_operator},
    {.alias = "jax",
     .resource = {"kubeflow.org", "v1", "jaxjobs", "JAXJob"},
     .replica_specs = "/spec/jaxReplicaSpecs",
     .container = "jax",
     .roles = k_jax_roles,
     .operator_name = "jaxjob-controller",
     .world_variable = "NUM_PROCESSES",
     .summary = "JAX distributed training (JAXJob)",
     .controller = k_training_operator},
    {.alias = "trainjob",
     .resource = {"trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob"},
     .container = "node",
     .roles = k_train_roles,
     .container_required = false,
     .summary = "training by a runtime of Kubeflow Trainer v2 (TrainJob)",
     .controller = k_trainer},
    {.alias = "mpi",
     .resource = {"kubeflow.org", "v2beta1", "mpijobs", "MPIJob"},
     .replica_specs = "/spec/mpiReplicaSpecs",
     .container = "mpi",
     .roles = k_mpi_operator_roles,
     .operator_name = "mpi-operator",
     .leader = Leader::launcher,
     .container_required = false,
     .summary = "MPI and Horovod training (MPIJob of mpi-operator)",
     .controller = k_mpi_operator,
     .shape = "MPIJobV2"},
};

bool is_same_kind(const Kind& one, const Kind& other) {
  return one.resource.group == other.resource.group && one.resource.kind == other.resource.kind;
}

}  // namespace

std::span<const Kind> kinds() {
  return k_kinds;
}

std::span<const Kind> operator_kinds() {
  const auto* const end = std::ranges::find_if(
      k_kinds, [](const Kind& kind) { return kind.resource.group != k_kinds[0].resource.group; });
  return {std::begin(k_kinds), end};
}

const Kind* successor_of(const Kind& kind) {
  for (const Kind* other = &kind + 1; other != std::end(k_kinds); ++other) {
    if (is_same_kind(kind, *other)) return other;
  }
  return nullptr;
}

std::vector<const Kind*> first_versions() {
  std::vector<const Kind*> all;
  for (const Kind& kind : k_kinds) {
    const bool succeeds = std::ranges::any_of(
        all, [&kind](const Kind* earlier) { return is_same_kind(*earlier, kind); });
    if (!succeeds) all.push_back(&kind);
  }
  return all;
}

namespace {

// Names exactly this version of the kind, as kubectl reads it: "mpijobs.v2beta1.kubeflow.org".
std::string version_name(const Kind& kind) {
  return cat(kind.resource.plural, '.', kind.resource.version, '.', kind.resource.group);
}

}  // namespace

const Kind* find_kind(std::string_view text) {
  const std::string wanted = lower(text);
  for (const Kind& kind : k_kinds) {
    const std::string singular = lower(kind.resource.kind);
    const std::array<std::string, 6> names = {std::string(kind.alias),
                                              singular,
                                              std::string(kind.resource.plural),
                                              cat(singular, '.', kind.resource.group),
                                              cat(kind.resource.plural, '.', kind.resource.group),
                                              version_name(kind)};
    if (std::ranges::find(names, wanted) != names.end()) return &kind;
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
  const PodLabels& labels = kind == nullptr ? k_operator_labels : kind->controller.labels;
  std::string selector = cat(labels.job, '=', job_name);
  // A kind with several versions means the installed one.
  const bool is_certain = kind != nullptr && successor_of(*kind) == nullptr;
  if (!is_certain || labels.operator_name.empty()) return selector;
  return cat(selector, ',', labels.operator_name, '=', kind->operator_name);
}

std::vector<std::string_view> job_labels(std::span<const Kind* const> kinds) {
  std::vector<std::string_view> labels;
  for (const Kind* kind : kinds) {
    const std::string_view label = kind->controller.labels.job;
    if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
  }
  return labels;
}

int replica_count(const Kind& kind, const Json& job, const Role& role) {
  std::string place(role.count_at);
  std::int64_t otherwise = role.default_count;
  if (!kind.replica_specs.empty()) {
    place = cat(kind.replica_specs, '/', role.name);
    if (find(job, place) == nullptr) return 0;
    place += "/replicas";
  } else if (job_status_of(kind, job, role) != nullptr) {
    otherwise = 1;
  }
  const auto count = has_known_count(kind, job, role) ? int_at(job, place) : std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(count.value_or(otherwise), 0, k_most_replicas));
}

bool has_known_count(const Kind& kind, const Json& job, const Role& role) {
  if (!kind.replica_specs.empty()) return true;
  const bool is_led = std::ranges::any_of(kind.roles, [&](const Role& other) {
    return other.leads() && job_status_of(kind, job, other) != nullptr;
  });
  return !role.count_at.empty() && !is_led && int_at(job, role.count_at).has_value();
}

const Json* job_status_of(const Kind& kind, const Json& job, const Role& role) {
  if (kind.controller.jobs_status.empty()) return nullptr;
  for (const Json& entry : array_at(job, kind.controller.jobs_status)) {
    if (text_at(entry, "/name") == role.name) return &entry;
  }
  return nullptr;
}

}  // namespace trainctl::job
