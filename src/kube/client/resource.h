// Kubernetes resource types and their API paths.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace trainctl::kube {

struct Resource {
  std::string_view group;    // "" = core
  std::string_view version;  // "v1"
  std::string_view plural;   // "pods"
  std::string_view kind;     // "Pod"

  std::string api_version() const;  // "v1", "kubeflow.org/v1"
};

inline constexpr Resource k_pods{"", "v1", "pods", "Pod"};
inline constexpr Resource k_events{"", "v1", "events", "Event"};
inline constexpr Resource k_namespaces{"", "v1", "namespaces", "Namespace"};
inline constexpr Resource k_nodes{"", "v1", "nodes", "Node"};

// Builds "/api/v1/namespaces/NS/pods/NAME/log"; empty ns = all namespaces, empty name = the
// collection. Code::usage when a part is "." or ".." or holds '/' or '%', because it would change
// the path.
Result<std::string> resource_path(const Resource& resource, std::string_view ns,
                                  std::string_view name = "", std::string_view subresource = "");
// The path of one object. Code::usage for an empty name, with which a verb would apply to the whole
// collection.
Result<std::string> object_path(const Resource& resource, std::string_view ns,
                                std::string_view name);

// The software that serves an API group, for hints: "Kubeflow Trainer"; "what provides it" for one
// that is not known.
std::string_view provider_of(std::string_view group, std::string_view version);

// The parts of a path (with or without a query), for messages; absent parts are empty.
struct PathParts {
  std::string group, version, ns, plural, name, subresource;

  std::string resource() const;  // "pods", "pytorchjobs.kubeflow.org"
};
// Parses a path; nullopt when it is not one of the resource API.
std::optional<PathParts> parse_resource_path(std::string_view target);

}  // namespace trainctl::kube
