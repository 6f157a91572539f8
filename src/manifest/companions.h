// Config maps, secrets, runtimes and claims that come with a job, mostly in its file: created with
// it, and owned by it unless they are kept. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "kube/client/resource.h"
#include "manifest/flags/flags.h"

namespace trainctl::job {

// Reads PersistentVolumeClaims and the pods that mount them. Pure.
inline constexpr kube::Resource k_claims{"", "v1", "persistentvolumeclaims",
                                         "PersistentVolumeClaim"};

constexpr bool is_claim(const kube::Resource& resource) {
  return resource.group.empty() && resource.plural == k_claims.plural;
}

// True when a volume of the pod is the claim of that name.
bool mounts_claim(const Json& pod, std::string_view claim);

// True when several nodes may mount the claim at a time.
bool is_for_many_nodes(const Json& claim);
// True when one pod at a time may mount it (ReadWriteOncePod), whatever other modes it has.
bool is_for_one_pod(const Json& claim);

inline constexpr kube::Resource k_config_maps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr kube::Resource k_secrets{"", "v1", "secrets", "Secret"};
inline constexpr kube::Resource k_training_runtimes{"trainer.kubeflow.org", "v1alpha1",
                                                    "trainingruntimes", "TrainingRuntime"};
inline constexpr kube::Resource k_cluster_training_runtimes{
    "trainer.kubeflow.org", "v1alpha1", "clustertrainingruntimes", "ClusterTrainingRuntime"};

enum class Sharing {
  none,
  by_content,  // its name says what it holds: jobs with the same content share it as owners
  kept,        // a claim: an existing one is used, and it outlives the job
};

// The annotation of a claim that is made for its job alone, and deleted with it: "true".
inline constexpr std::string_view k_delete_with_job_annotation = "trainctl/delete-with-job";

// True for a kind of object that is created and deleted with its job.
bool goes_with_its_job(const kube::Resource& resource);

// As kubectl prints it: "configmap/ddp-config".
std::string title_of(const kube::Resource& resource, std::string_view name);

struct DependentObject {
  kube::Resource resource;
  Json object;
  Sharing sharing = Sharing::none;

  std::string name() const { return text_at(object, "/metadata/name"); }
  std::string title() const { return title_of(resource, name()); }
};

// The objects in a job's file.
struct JobFile {
  Json job;
  std::vector<DependentObject> companions;  // in the order of the file
  std::vector<Json> others;                 // objects that cannot be created with the job
};

// Sorts the documents of a file, the items of Lists among them: exactly one training job, its
// companions (config maps, secrets and claims, and beside a TrainJob runtimes of its namespace),
// and others. Errors are Code::usage and name the file.
Result<JobFile> sort_documents(std::vector<Json> documents, std::string_view file);
// "Service etcd and Deployment web"
std::string names_of(const std::vector<Json>& objects);
// Refuses the others of a file.
Error refuse_others(std::string_view file, const JobFile& sorted);

// Puts each into the job's namespace, and refuses (Code::usage) what the server would refuse: a
// missing or invalid name, two of one name, another namespace, misspelled fields, keys and values
// of data that are not allowed. No error repeats a value of data.
Status complete_companions(std::vector<DependentObject>& companions, const std::string& ns);

// The text without the companion's data, neither encoded nor decoded: a server's answer may quote
// it.
std::string without_data(std::string text, const DependentObject& companion);

// The claims that --pvc-new asks for. Pure. Each once, however many roles mount it. Code::usage for
// a value that is wrong.
Result<std::vector<DependentObject>> new_claims(const std::vector<FlagUse>& uses);

}  // namespace trainctl::job
