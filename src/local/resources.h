// The kinds of objects the embedded cluster serves: the job kinds of the kind table, and the core
// objects that jobs need.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client/resource.h"
#include "manifest/kind/kind.h"

namespace trainctl::local {

struct ServedResource {
  kube::Resource resource;
  bool namespaced = true;
  const job::Kind* job_kind = nullptr;  // set for training jobs, which are custom resources
  bool has_generation = false;          // metadata.generation is maintained
  bool graceful = false;                // deletion waits for deletionGracePeriodSeconds
  std::string_view at_birth = "{}";  // JSON of the fields that creation sets when they are missing

  // The name in error messages: "pods", "pytorchjobs.kubeflow.org".
  std::string qualified() const;
  // The kind in 422 messages: "Pod", "PyTorchJob.kubeflow.org".
  std::string qualified_kind() const;
};

// All served resources: pods, services, events, configmaps, secrets, persistentvolumeclaims,
// namespaces, serviceaccounts, nodes, and one row per job kind. Addresses stay valid for the life
// of the program.
std::span<const ServedResource> served_resources();
const ServedResource* find_resource(std::string_view group, std::string_view version,
                                    std::string_view plural);
const ServedResource& resource_of(const kube::Resource& resource);

}  // namespace trainctl::local
