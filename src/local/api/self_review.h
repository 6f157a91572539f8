// Answers SelfSubjectReview: as which user the server knows the client.
#pragma once

#include <optional>

#include "local/api/call.h"

namespace trainctl::local {

// nullopt for other requests.
std::optional<Answered<ApiAnswer>> review_self(const ApiRequest& request, Time now);

}  // namespace trainctl::local
