// Handles …/pods/NAME/exec, attach and portforward: checks the request, then asks the kubelet.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> open_stream(const ApiParts& parts, const ApiCall& call);

// The refusal of a server on which the user lacks the right for a subresource of pods.
ApiError forbidden_subresource(const ApiCall& call);

}  // namespace trainctl::local
