// authorization.k8s.io/v1 is served by every Kubernetes since 1.6.
#include "kube/client/access_review.h"

#include "kube/client/collection.h"

namespace trainctl::kube {

net::Request review_request(const Action& action, std::string_view ns) {
  constexpr Resource k_reviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                               "SelfSubjectAccessReview"};
  Json attributes = {{"verb", action.verb},
                     {"group", action.resource.group},
                     {"resource", action.resource.plural},
                     {"namespace", ns}};
  if (!action.subresource.empty()) attributes["subresource"] = action.subresource;
  const Json review = {{"apiVersion", k_reviews.api_version()},
                       {"kind", k_reviews.kind},
                       {"spec", {{"resourceAttributes", std::move(attributes)}}}};
  auto request = create_request(k_reviews, "", review);
  // Only a name from outside can make a path that is refused.
  return request ? *std::move(request) : net::Request();
}

std::optional<bool> is_allowed(const std::variant<Json, Failure>& answer) {
  const Json* review = std::get_if<Json>(&answer);
  const Json* allowed = review == nullptr ? nullptr : find(*review, "/status/allowed");
  if (allowed == nullptr || !allowed->is_boolean()) return std::nullopt;
  return allowed->get<bool>();
}

}  // namespace trainctl::kube
