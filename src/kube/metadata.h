// Where an object keeps its labels and annotations.
#pragma once

#include <string>
#include <string_view>

namespace trainctl::kube {

// JSON pointers to the value of a label or an annotation.
std::string label_pointer(std::string_view key);
std::string annotation_pointer(std::string_view key);

}  // namespace trainctl::kube
