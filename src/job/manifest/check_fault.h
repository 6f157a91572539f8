// Error messages of manifest checks, and checks that any part of a manifest may need.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value/json.h"
#include "job/manifest/flags.h"

namespace trainctl::job {

// Spells a JSON pointer as people write the path: "spec.pytorchReplicaSpecs.Worker".
std::string dotted(std::string_view pointer);
// The error "spec.pytorchReplicaSpecs.Worker.replicas: is negative"; `pointer` is a JSON pointer.
Error manifest_fault(std::string_view pointer, std::string_view fault, std::string_view hint = "");

// Refuses texts and keys that are invalid UTF-8, wherever they are.
Status check_encoding(const Json& value);
// Requires that the field, if present, is a text that a flag's check accepts.
Status check_field(const Json& manifest, const std::string& pointer, Check check);
// Requires that the field, if present, is a whole number of at least `least`.
Status check_number(const Json& manifest, const std::string& pointer, std::int64_t least);
// Checks labels and annotations of the metadata at pointer.
Status check_metadata(const Json& manifest, const std::string& pointer);

}  // namespace trainctl::job
