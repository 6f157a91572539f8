// The objects of a cluster that the pods of a manifest refer to by name. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "kube/client/resource.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

inline constexpr kube::Resource k_service_accounts{"", "v1", "serviceaccounts", "ServiceAccount"};
inline constexpr kube::Resource k_priority_classes{"scheduling.k8s.io", "v1", "priorityclasses",
                                                   "PriorityClass"};
inline constexpr kube::Resource k_runtime_classes{"node.k8s.io", "v1", "runtimeclasses",
                                                  "RuntimeClass"};

// The consequence for a pod when the object is missing.
enum class Need {
  required,    // it never starts
  optional,    // it starts without it
  image_pull,  // it starts if the image can be pulled without credentials
};

struct NeededObject {
  kube::Resource resource;
  std::string name;
  Need need = Need::required;
  std::set<std::string> keys = {};  // of a config map or secret, that must be there

  // As kubectl prints it: "secret/hub".
  std::string title() const;
  // False for an object that belongs to the whole cluster.
  bool is_namespaced() const;
};

// Each object once, in the order of the manifest; one that is optional here and required there is
// required.
std::vector<NeededObject> needed_objects(const Json& manifest);

// A command that creates an object that is missing, or an instruction; "" = nothing is known.
std::string remedy_for_missing(const NeededObject& needed, const std::string& ns);

// The data that a job's pods read besides their image: volumes, secrets and config maps. Pure
// functions.
struct Source {
  std::string kind;   // "claim", "secret", "config map", "host directory", "memory", …
  std::string name;   // "data", "hub", "/srv/data", "2Gi"; may be ""
  std::string place;  // "/data", "/data (read-only)", "variable TOKEN", "variables"
  std::vector<std::string> roles;  // prefixes of the roles that have it
};

// The sources of the training containers, in the order of the manifest; one that several roles
// share is listed once. Values of secrets are not in a manifest and so not here.
std::vector<Source> sources_of(const Kind& kind, const Json& job);

}  // namespace trainctl::job
