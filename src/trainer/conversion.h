// Turns a job of the v1 operator into one of the APIs that came after it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "trainer/pod_split.h"

namespace trainctl::job {

// A field of the job that the TrainJob does not have, or has differently.
struct Loss {
  std::string pointer;  // into the job: "/spec/elasticPolicy/minReplicas"
  std::string why;
  std::string instead;           // what the user can do; may be empty
  bool runtime_decides = false;  // a runtime that the user names has a value of its own
};

struct Conversion {
  Json job;
  std::optional<Json> runtime;  // a TrainingRuntime that must be created first
  std::vector<Loss> losses;
  std::string warning;              // of what the TrainJob does differently; "" = none
  bool starts_through_env = false;  // `env PROGRAM`, so that the runtime's arguments do not follow
};

enum class OwnRuntime {
  where_needed,  // a TrainingRuntime of the job's own holds what a TrainJob cannot say
  never,         // such fields are losses
  always,
};

// A runtime of the cluster, named by the user.
struct NamedRuntime {
  std::string kind;  // "TrainingRuntime", "ClusterTrainingRuntime"
  std::string name;
  std::string job = "node";    // its replicated job that runs the user's program
  bool has_arguments = false;  // follow the command of a job that has no arguments
};

enum class Becomes {
  train_job,  // of Kubeflow Trainer v2
  successor,  // the same kind, in the API that replaced it (successor_of)
};

// The cluster and the runtime that the job is made for.
struct Target {
  OwnRuntime own_runtime = OwnRuntime::where_needed;
  PatchField patch = PatchField::runtime_patches;
  std::optional<NamedRuntime> runtime = {};  // with it, the job gets no runtime of its own
  Becomes becomes = Becomes::train_job;
};

// Every field of the job is converted, or is a loss, or says what Trainer does anyway. The programs
// find the variables of the v1 operator (MASTER_ADDR, TF_CONFIG, …), set by the cluster, so that no
// shell is needed in the image. Code::usage for a kind that has no counterpart.
//
// Where a launcher runs the program (MPI), the nodes are made like the workers, and reached by ssh.
Result<Conversion> convert(const Kind& kind, const Json& job, const Target& target);

// A TrainingRuntime for jobs like this one, with its image.
Result<Json> make_template_runtime(const Kind& kind, const Json& job);

// Removes the value at the pointer and returns it; null when there is none.
Json take(Json& object, std::string_view pointer);

// Adds a loss for each value at or below the pointer; objects are taken apart, lists are not.
void lose(const std::string& pointer, const Json& value, std::vector<Loss>& losses);

// The same for a pod template, whose containers are taken apart as well.
void lose_pod(const std::string& pointer, Json pod_template, std::vector<Loss>& losses);

}  // namespace trainctl::job
