// Handles POST, PUT and PATCH of objects and their status.
#pragma once

#include "local/api/body.h"
#include "local/api/call.h"
#include "local/api/options.h"
#include "local/api/view.h"

namespace trainctl::local {

Answered<ApiAnswer> create_object(const ApiParts& parts, const ApiCall& call, const View& view);
Answered<ApiAnswer> replace_object(const ApiParts& parts, const ApiCall& call, const View& view);
Answered<ApiAnswer> patch_object(const ApiParts& parts, const ApiCall& call, const View& view);

// ---- what they share ----

Answered<ApiAnswer> create_from(const ApiParts& parts, const ApiCall& call, const View& view,
                                const WriteOptions& options, RequestBody body);
// Writes `body` over the stored object; `must_name_version` is PUT's rule for custom resources.
Answered<ApiAnswer> update_from(const ApiParts& parts, const ApiCall& call, const View& view,
                                const WriteOptions& options, RequestBody body,
                                bool must_name_version);

// Checks that kind, apiVersion and namespace of a body agree with the path, and fills in missing
// ones.
std::optional<ApiError> complete_identity(const ApiCall& call, Json& object);

ApiAnswer written(const ApiParts& parts, const ApiCall& call, const View& view, Json object,
                  int code, const std::vector<std::string>& warnings);

}  // namespace trainctl::local
