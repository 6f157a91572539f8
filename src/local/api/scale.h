// The scale subresource of jobs: an autoscaling/v1 Scale over the Worker role.
#pragma once

#include "local/api/call.h"
#include "local/api/view.h"

namespace trainctl::local {

Answered<ApiAnswer> read_scale(const ApiParts& parts, const ApiCall& call, const View& view);
// Handles PUT and PATCH.
Answered<ApiAnswer> write_scale(const ApiParts& parts, const ApiCall& call, const View& view);

}  // namespace trainctl::local
