// THE TABLE of lists whose elements a strategic merge knows again.
#pragma once

#include <span>
#include <string_view>

namespace trainctl::kube {

struct MergeKey {
  std::string_view list;      // the field that holds it, wherever it stands
  std::string_view key;       // the field of an element that names it
  bool retains_keys = false;  // kubectl says of such an element: nothing but what the patch names
};

// The patchMergeKey tags of k8s.io/api/core/v1 and apimachinery's metadata. A list may stand here
// twice: a service's ports have another key than a container's.
std::span<const MergeKey> merge_keys();

}  // namespace trainctl::kube
