// Finds fields of a manifest that the API does not have: typing errors, and fields newer than
// trainctl.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/value/json.h"
#include "manifest/flags/flags.h"

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

struct UnknownField {
  std::string pointer;  // "/spec/runPolicy/backofLimit"
  std::string meant;    // "backoffLimit"; "" when it resembles no field
};

// True when the word is so similar to the name of a field that it is a typing error of it.
bool resembles(std::string_view word, std::string_view field);

// The fields of a "PyTorchJob" or "ConfigMap" that are unknown to the schema of training-operator
// 1.9 and Kubernetes 1.34. Keys that users choose (labels, roles) are not checked, nor is any kind
// without a schema.
struct SizeAt {
  std::string pointer, text;
};
// The amounts of bytes, wherever in the manifest they stand.
std::vector<SizeAt> sizes_in(const Json& manifest);

std::vector<UnknownField> unknown_fields(std::string_view kind, const Json& manifest);

// Refuses a field that is a typing error, and a value where fields or elements must be (or the
// other way round). A field that may be newer than trainctl is accepted, and manifest_warnings
// reports a job's.
Status check_fields(std::string_view kind, const Json& manifest);

// Reads the words for true and false of YAML 1.1 (yes, off), and whole numbers written as 1e3
// or 2.0, where the schema has switches and whole numbers, as kubectl does.
void read_as_kubectl(std::string_view kind, Json& manifest);

// Refuses a number or a switch where text must be (name: 5, keep: true), and text where a
// switch must be.
Status check_texts(std::string_view kind, const Json& manifest);

}  // namespace trainctl::job
