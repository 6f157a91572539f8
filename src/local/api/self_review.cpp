// Every client that can connect is the owner of this cluster, its only user.
#include "local/api/self_review.h"

#include "local/api/body.h"
#include "local/api/view.h"

namespace trainctl::local {

std::optional<Answered<ApiAnswer>> review_self(const ApiRequest& request, Time now) {
  constexpr std::string_view k_path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  constexpr std::string_view k_review_kind = "SelfSubjectReview";
  if (request.target.substr(0, request.target.find('?')) != k_path) return std::nullopt;
  if (request.method != "POST") return method_not_allowed();
  auto body = read_body(k_review_kind, request.content_type, request.body);
  if (auto* error = std::get_if<ApiError>(&body)) return std::move(*error);
  const Json user = {{"username", "admin"}, {"groups", {"system:masters", "system:authenticated"}}};
  return answer_with(Json{{"kind", k_review_kind},
                          {"apiVersion", "authentication.k8s.io/v1"},
                          {"metadata", {{"creationTimestamp", format_time(now)}}},
                          {"status", {{"userInfo", user}}}},
                     201);
}

}  // namespace trainctl::local
