// How a check of a manifest says what is wrong, and where.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "job/manifest/flags.h"

namespace trainctl::job {

// "spec.pytorchReplicaSpecs.Worker.replicas: is negative"; the pointer is JSON's.
Error manifest_fault(std::string_view pointer, std::string_view fault, std::string_view hint = "");

// The field, when it is there, is a text that the check of a flag accepts.
Status check_field(const Json& manifest, const std::string& pointer, Check check);
// The field, when it is there, is a whole number of at least `least`.
Status check_number(const Json& manifest, const std::string& pointer, std::int64_t least);
// Labels and annotations of the metadata at pointer.
Status check_metadata(const Json& manifest, const std::string& pointer);

}  // namespace trainctl::job
