// Answers SelfSubjectReview, SelfSubjectAccessReview and SelfSubjectRulesReview: who the client is,
// and what it may do.
#pragma once

#include <optional>
#include <vector>

#include "local/api/call.h"
#include "local/resources.h"

namespace trainctl::local {

// The kinds that review_self() answers. Their objects are never stored.
std::vector<ServedResource> review_resources();

// nullopt for other requests.
std::optional<Answered<ApiAnswer>> review_self(const ApiRequest& request, Time now);

}  // namespace trainctl::local
