// Handles …/pods/NAME/exec, attach and portforward: checks the request, then asks the kubelet.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> open_stream(const ApiParts& parts, const ApiCall& call);

}  // namespace trainctl::local
