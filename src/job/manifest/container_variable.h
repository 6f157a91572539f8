// Environment variables of a container, as a manifest has them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/text.h"
#include "base/value/json.h"

namespace trainctl::job {

// Holds the job's name; a generated name is known only when its pods exist.
inline constexpr std::string_view k_job_variable = "TRAINCTL_JOB_NAME";

inline Json literal(std::string_view name, std::string_view value) {
  return {{"name", name}, {"value", value}};
}

inline Json literal(std::string_view name, std::int64_t value) {
  return literal(name, std::to_string(value));
}

// Has the value of a label of the pod.
inline Json from_label(std::string_view name, std::string_view label) {
  const std::string path = cat("metadata.labels['", label, "']");
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

}  // namespace trainctl::job
