// GET …/pods/NAME/log: the checks before the kubelet is asked.
#pragma once

#include "local/api/call.h"

namespace trainctl::local {

Answered<ApiAnswer> read_log(const ApiParts& parts, const ApiCall& call);

}  // namespace trainctl::local
