// THE TABLE of job kinds: everything that differs between the job APIs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "kube/resource.h"

namespace trainctl::job {

struct Role {
  std::string_view name;        // key in the replica map: "Master", "PS"
  std::string_view prefix;      // prefix of per-role flags and replica names: "master", "ps"
  bool leads = false;           // may hold rank 0; --no-master removes such roles
  bool ranked = true;           // has a rank in the world (PS and evaluators have none)
  bool single = false;          // at most one replica
  bool numbered = true;         // its pods' names end with the replica's index
  bool count_required = false;  // the webhook refuses the role without an explicit count
  int default_count = 1;        // replicas when the manifest does not say
};

struct Kind {
  std::string_view alias;          // "pytorch": submit-pytorch, pytorch/NAME
  kube::Resource resource;         // kubeflow.org/v1 pytorchjobs PyTorchJob
  std::string_view replica_specs;  // pointer to the replica map: "/spec/pytorchReplicaSpecs"
  std::string_view run_policy;     // pointer: "/spec/runPolicy"
  std::string_view suspend;        // pointer to the suspend switch
  std::string_view container;      // name of the container the operator looks for
  std::span<const Role> roles;     // in rank order: the first that exists holds rank 0
  std::string_view operator_name;  // value of the pods' operator-name label
  bool leader_required = false;    // the operator refuses a job without it
  bool service_per_pod = true;     // pod names become Service names: 63 characters at most
  bool container_required = true;  // false: the operator takes the pod's first container
  bool leader_runs_words = false;  // the leader alone runs the user's command; it starts the rest
  bool rendezvous_by_leader = false;        // MASTER_ADDR, RANK, … are set only beside a leader
  std::string_view processes_per_pod = "";  // pointer to the number of processes per pod; "" = 1
  // Variable in which the operator passes the world size; "" = none.
  std::string_view world_variable = "";
  std::string_view summary;  // for help: "PyTorch distributed training (PyTorchJob)"
};

std::span<const Kind> kinds();

// Finds a kind by alias, kind, plural or singular, with or without the group, in any case:
// "pytorch", "PyTorchJob", "pytorchjobs", "pytorchjob.kubeflow.org".
const Kind* find_kind(std::string_view text);
// The kind of an object, by its apiVersion and kind.
const Kind* kind_of(const Json& object);
const Role* find_role(const Kind& kind, std::string_view name_or_prefix);

// The labels training-operator puts on every pod (pkg/apis/kubeflow.org/v1/common_types.go).
inline constexpr std::string_view k_label_job_name = "training.kubeflow.org/job-name";
inline constexpr std::string_view k_label_operator = "training.kubeflow.org/operator-name";
inline constexpr std::string_view k_label_role = "training.kubeflow.org/replica-type";
inline constexpr std::string_view k_label_index = "training.kubeflow.org/replica-index";
inline constexpr std::string_view k_label_job_role = "training.kubeflow.org/job-role";

// "training.kubeflow.org/job-name=NAME,training.kubeflow.org/operator-name=…", without the latter
// when the kind is not known (null).
std::string pod_selector(const Kind* kind, std::string_view job_name);

// A bound on replicas: the server accepts any number, and each replica costs memory wherever its
// job is examined.
inline constexpr std::int64_t k_most_replicas = 100'000;
// The replicas that a manifest requests for a role: 0 when the role is absent, 1 when the count is
// (the operator's default; MPI workers default to 0). Limited to 0 … k_most_replicas, whatever the
// manifest says.
int replica_count(const Kind& kind, const Json& manifest, const Role& role);

}  // namespace trainctl::job
