// A row of the table of job kinds: everything that differs between the job APIs. The rows are in
// manifest/kinds/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "kube/client/resource.h"

namespace trainctl::job {

// A role's part in the training.
enum class Duty {
  leads,     // trains, and may hold rank 0; --no-master removes such roles
  trains,    // has ranks in the world
  serves,    // has none: parameter servers and evaluators
  prepares,  // runs to its end before the others begin
};

struct Role {
  std::string_view name;    // key in the replica map, value of the role label: "Master", "PS"
  std::string_view prefix;  // prefix of per-role flags and replica names: "master", "ps"
  Duty duty = Duty::trains;
  bool single = false;          // at most one replica
  bool numbered = true;         // its pods' names end with the replica's index
  bool count_required = false;  // the webhook refuses the role without an explicit count
  bool never_empty = false;     // the operator does nothing for a job with no replica of the role
  int default_count = 1;        // replicas when the manifest does not say
  std::string_view restart_policy = "Never";  // when the manifest does not say
  // Pointer to the count, where no replica map holds it. In a job with a leading role it may
  // include that role's pods, and so is ignored.
  std::string_view count_at = "";

  bool leads() const { return duty == Duty::leads; }
  bool ranked() const { return duty == Duty::leads || duty == Duty::trains; }
  bool prepares() const { return duty == Duty::prepares; }
};

// The labels that a controller puts on every pod.
struct PodLabels {
  std::string_view job;   // holds the name of the job
  std::string_view role;  // holds the role's name, in any case
  // Holds the replica's index; may be missing for index 0. "" = the pod's name says it.
  std::string_view index;
  std::string_view operator_name;  // holds Kind::operator_name; "" = no such label
};

// The labels training-operator puts on every pod (pkg/apis/kubeflow.org/v1/common_types.go).
inline constexpr std::string_view k_label_job_name = "training.kubeflow.org/job-name";
inline constexpr std::string_view k_label_operator = "training.kubeflow.org/operator-name";
inline constexpr std::string_view k_label_role = "training.kubeflow.org/replica-type";
inline constexpr std::string_view k_label_index = "training.kubeflow.org/replica-index";
inline constexpr std::string_view k_label_job_role = "training.kubeflow.org/job-role";
inline constexpr PodLabels k_operator_labels = {.job = k_label_job_name,
                                                .role = k_label_role,
                                                .index = k_label_index,
                                                .operator_name = k_label_operator};

// The names of pods: JOB-ROLE, `before_index`, INDEX, and a random tail.
struct PodNaming {
  std::string_view before_index = "-";
  std::size_t random_tail = 0;    // letters, behind a dash; 0 = none
  bool tail_behind_index = true;  // false: only names without an index have the tail
};

// An object between a job and its pods, whose events are the job's. Its name begins with the job's.
struct Helper {
  std::string_view kind;
  bool per_role = false;             // then the role follows: "ddp-launcher"
  std::string_view after_role = "";  // then this: "ddp-node-0"
};

// The common traits of all kinds of one controller: the places of the fields that every job has,
// and the objects the controller makes.
struct Controller {
  std::string_view run_policy;  // pointer to the object with deadline, backoff, clean-up
  std::string_view suspend;     // pointer to the suspend switch
  PodLabels labels = k_operator_labels;
  PodNaming pod_naming = {};
  // Pointer to counts for each role, which show the job's progress; until the job ends its only
  // condition is Suspended. "" = the job has Created, Running and Restarting.
  std::string_view jobs_status = "";
  std::string_view success = "Succeeded";  // type of the condition that ends a job well
  bool bounds_retries = false;     // a job that fails over and over ends, even if it sets no limit
  bool suspension_pauses = false;  // a suspended job resumes with new pods, as often as wanted
  bool removes_failed = false;     // the pods of a failed job are deleted, whatever it asks for
  // Values of a replica's restartPolicy and of the run policy's managedBy, blank-separated: with
  // others the job gets no status. "" = the API server refuses others.
  std::string_view restart_policies = "Always OnFailure Never ExitCode";
  std::string_view managed_by_values = "";
  // With none, the job itself owns the pods.
  std::span<const Helper> helpers = {};

  bool counts_roles() const { return !jobs_status.empty(); }
  bool owns_by_label() const { return !helpers.empty(); }
};

struct OperatedKind;  // manifest/operator/operated_job.h

// A kind's need for its leading role.
enum class Leader {
  optional,    // worker 0 leads where there is none
  rendezvous,  // the same, but MASTER_ADDR, RANK, … are set only beside a leader
  required,    // the operator refuses a job without it
  launcher,    // required, and it alone runs the user's command, which starts the rest
};

struct Kind {
  // "pytorch": submit-pytorch, pytorch/NAME. Versions of one kind share it.
  std::string_view alias;
  kube::Resource resource;  // kubeflow.org/v1 pytorchjobs PyTorchJob
  // Pointer to the replica map: "/spec/pytorchReplicaSpecs"; "" = the job has none.
  std::string_view replica_specs = "";
  std::string_view container;           // name of the container the operator looks for
  std::span<const Role> roles;          // in rank order: the first that exists holds rank 0
  std::string_view operator_name = "";  // value of the pods' operator-name label
  Leader leader = Leader::optional;
  bool service_per_pod = true;              // pod names become Service names: 63 characters at most
  bool container_required = true;           // false: the operator takes the pod's first container
  std::string_view processes_per_pod = "";  // pointer to the number of processes per pod; "" = 1
  // Variable in which the operator passes the world size; "" = none.
  std::string_view world_variable = "";
  std::string_view summary;  // for help: "PyTorch distributed training (PyTorchJob)"
  const Controller& controller;
  // What training-operator does with its jobs; null = another controller has them.
  const OperatedKind* operated = nullptr;
  std::string_view shape = "";  // its objects' type in manifest/schema/; "" = the name of the kind

  bool requires_leader() const { return leader == Leader::required || has_launcher(); }
  bool has_launcher() const { return leader == Leader::launcher; }
  std::string_view schema_type() const { return shape.empty() ? resource.kind : shape; }
};

// All kinds; those of the training operator, which `submit-KIND` makes and the embedded cluster
// runs, come first.
std::span<const Kind> kinds();
std::span<const Kind> operator_kinds();

// The same kind in an API that a cluster serves instead of this one; null = there is none.
const Kind* successor_of(const Kind& kind);
// All kinds but the successors of others.
std::vector<const Kind*> first_versions();

// Finds a kind by alias, kind, plural or singular, with or without the group, in any case:
// "pytorch", "PyTorchJob", "pytorchjobs", "pytorchjob.kubeflow.org"; of several versions the first.
// A name of version_name() gives that version.
const Kind* find_kind(std::string_view text);
// The kind of an object, by its apiVersion and kind.
const Kind* kind_of(const Json& object);
const Role* find_role(const Kind& kind, std::string_view name_or_prefix);

// "training.kubeflow.org/job-name=NAME,training.kubeflow.org/operator-name=…", without the latter
// when the kind is not known (null): then it is one of operator_kinds().
std::string pod_selector(const Kind* kind, std::string_view job_name);
// The labels that hold the names of jobs of these kinds, each once.
std::vector<std::string_view> job_labels(std::span<const Kind* const> kinds);

// A bound on replicas: the server accepts any number, and each replica costs memory wherever its
// job is examined.
inline constexpr std::int64_t k_most_replicas = 100'000;
// The replicas that a job requests for a role: 0 when the role is absent; the operator's default
// (1, or 0 for MPI workers) when the role states no count. Limited to 0 … k_most_replicas, whatever
// the job says.
int replica_count(const Kind& kind, const Json& job, const Role& role);
// False when nothing in the job says how many replicas the role has.
bool has_known_count(const Kind& kind, const Json& job, const Role& role);
// The role's entry in the counts of Controller::jobs_status; null = none.
const Json* job_status_of(const Kind& kind, const Json& job, const Role& role);

}  // namespace trainctl::job
