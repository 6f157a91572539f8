// Decodes an object as an API server does: unknown fields, wrong types, nulls, defaults.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/value/json.h"
#include "job/manifest/schema.h"

namespace trainctl::local {

// "spec.replicas" for the field `step` of the object at `path`; "" is the whole.
inline std::string child_path(std::string_view path, std::string_view step) {
  return path.empty() ? std::string(step) : cat(path, '.', step);
}

// Removes what the shape does not have and returns the paths, as strict decoding names them
// ("spec.template.spec.containers[0].imag"). Jobs know a few fields that core objects do not.
std::vector<std::string> prune_unknown(Json& value, const job::ObjectShape& shape, bool is_job,
                                       std::string_view path = "");

// The first value that does not fit into the Go type, in encoding/json's words; `path` is where the
// struct stands in the object that is decoded ("metadata"), "" = at its root.
std::optional<std::string> decode_fault(const Json& value, const job::ObjectShape& shape,
                                        std::string_view path = "");

// Removes fields and entries of maps that are null. In jobs a field with a default stays (the
// default takes its place); in core objects a text in a map becomes "", and empty lists and maps go
// as well.
void drop_nulls(Json& value, const job::ObjectShape& shape, bool is_job);

// 1.0 becomes 1, as Go writes it.
void write_whole_numbers(Json& value);

// Fills in what the shape has defaults for.
void apply_defaults(Json& value, const job::ObjectShape& shape);

}  // namespace trainctl::local
