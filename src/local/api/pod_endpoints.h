// Handles …/pods/NAME/log, exec, attach and portforward: checks, then asks the kubelet.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> read_log(const ApiParts& parts, const ApiCall& call);

// Handles …/pods/NAME/exec, attach and portforward: checks the request, then asks the kubelet.
Answered<ApiAnswer> open_stream(const ApiParts& parts, const ApiCall& call);

}  // namespace trainctl::local
