// The volumes of a job that outlive its pods, and the pod that reads them afterwards. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

// The parts from which a role's pods are made.
struct PodPlan {
  std::string role;  // as in the names of replicas: "worker"
  Json spec;
  Json container;  // the training one, of `spec`
};
// In rank order.
std::vector<PodPlan> pod_plans(const Kind& kind, const Json& job);
// The same for a job whose pods are described by the JobSet that a controller has made of it.
std::vector<PodPlan> pod_plans_of_job_set(const Kind& kind, const Json& job_set);

struct LastingMount {
  std::string path;       // in the container, without a slash at its end
  std::string claim;      // "" = a volume of another kind
  std::string node_path;  // a directory of the node where the pod ran; "" = another kind
  Json mount;             // as an entry of volumeMounts, read-only
  Json volume;            // as an entry of volumes
  bool is_told = true;    // false: the part of the volume depends on the replica (subPathExpr)
};
// Returns the lasting mounts of the training container, by path. A directory of a node counts: it
// outlives the pods, though only that node has it.
std::vector<LastingMount> lasting_mounts(const Json& pod_spec, const Json& container);
// The mount that holds the path; null when it is in none.
const LastingMount* mount_of(const std::vector<LastingMount>& mounts, std::string_view path);
// Returns the mount that holds the path, and those below the path.
std::vector<LastingMount> mounts_for(const std::vector<LastingMount>& mounts,
                                     std::string_view path);
// A mount of a whole claim, of which only the name is known.
LastingMount whole_claim(const std::string& claim, const std::string& path);

// The label that says what a pod of ours is for, and its value for those that read volumes.
inline constexpr std::string_view k_label_helper = "trainctl/helper";
inline constexpr std::string_view k_fetch_helper = "fetch";
// The annotation with the process that made it (base/loop/processes.h).
inline constexpr std::string_view k_helper_process = "trainctl/process";
inline constexpr std::string_view k_helper_container = "fetch";

struct HelperOrder {
  std::string name, ns;
  std::string user;     // its label; "" = nobody knows
  std::string process;  // its mark
  std::string image;    // "" = that of the plan
  std::string node;     // where it must run; "" = anywhere
  Json owner;           // its apiVersion, kind, name and uid; null = none is known
  std::optional<PodPlan> plan;
  std::vector<LastingMount> mounts;
};
// A pod that does nothing but mount the volumes, until it is deleted, nobody has used it for ten
// minutes, or a day is over. From the job's pod it takes what scheduling, pulling the image and
// reading the volumes need: tolerations, image pull secrets, the service account's name and the
// user. It gets none of the job's environment and no token, and mounts no secret.
Json helper_pod(const HelperOrder& order);

}  // namespace trainctl::job
