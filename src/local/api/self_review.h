// SelfSubjectReview: who the server takes a client for.
#pragma once

#include <optional>

#include "local/api/call.h"

namespace trainctl::local {

// nullopt for requests that ask something else.
std::optional<Answered<ApiAnswer>> review_self(const ApiRequest& request, Time now);

}  // namespace trainctl::local
