// The table of lists whose elements a strategic merge matches by a key.
#pragma once

#include <span>
#include <string_view>

namespace trainctl::kube {

struct MergeKey {
  std::string_view list;      // the field that holds the list, anywhere in an object
  std::string_view key;       // the field that identifies an element
  bool retains_keys = false;  // an element keeps only the fields that the patch names
};

// The patchMergeKey tags of k8s.io/api/core/v1 and apimachinery's metadata. A list may occur twice
// here: a service's ports have another key than a container's.
std::span<const MergeKey> merge_keys();

}  // namespace trainctl::kube
