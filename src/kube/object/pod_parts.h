// Makes parts of pods that look the same in every pod.
#pragma once

#include <string_view>

#include "base/value/json.h"

namespace trainctl::kube {

// {"name": …, "value": …} for a container's `env`.
Json variable(std::string_view name, std::string_view value);

// {"name": …, "mountPath": …} for a container's `volumeMounts`.
Json volume_mount(std::string_view volume, std::string_view path);

}  // namespace trainctl::kube
