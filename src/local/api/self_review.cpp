// Every client that can connect is the owner of this cluster, its only user, who may do everything.
#include "local/api/self_review.h"

#include <array>
#include <utility>

#include "base/text/text.h"
#include "local/api/body.h"
#include "local/api/view.h"

namespace trainctl::local {
namespace {

Json whoami() {
  return {{"userInfo",
           {{"username", "admin"}, {"groups", {"system:masters", "system:authenticated"}}}}};
}

Json allowed() {
  return {{"allowed", true},
          {"reason", "the embedded cluster has one user, who may do everything"}};
}

Json all_rules() {
  const Json all = Json::array({"*"});
  return {
      {"resourceRules", Json::array({{{"verbs", all}, {"apiGroups", all}, {"resources", all}}})},
      {"nonResourceRules", Json::array({{{"verbs", all}, {"nonResourceURLs", all}}})},
      {"incomplete", false}};
}

struct SelfReview {
  kube::Resource resource;
  Json (*status)();
};

constexpr std::string_view k_authorization = "authorization.k8s.io";
constexpr std::array<SelfReview, 3> k_reviews = {{
    {{"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview"}, whoami},
    {{k_authorization, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview"}, allowed},
    {{k_authorization, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview"}, all_rules},
}};

const SelfReview* review_at(std::string_view path) {
  for (const SelfReview& row : k_reviews) {
    if (path == cat("/apis/", row.resource.api_version(), '/', row.resource.plural)) return &row;
  }
  return nullptr;
}

}  // namespace

std::vector<ServedResource> review_resources() {
  std::vector<ServedResource> rows;
  for (const SelfReview& review : k_reviews) {
    ServedResource row;
    row.resource = review.resource;
    row.singular = lower(review.resource.kind);
    row.namespaced = false;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::optional<Answered<ApiAnswer>> review_self(const ApiRequest& request, Time now) {
  const SelfReview* review = review_at(request.target.substr(0, request.target.find('?')));
  if (review == nullptr) return std::nullopt;
  if (request.method != "POST") return method_not_allowed();
  auto body = read_body(review->resource.kind, request.content_type, request.body);
  if (auto* error = std::get_if<ApiError>(&body)) return std::move(*error);
  const Json& asked = std::get<RequestBody>(body).object;
  Json answer = {{"kind", review->resource.kind},
                 {"apiVersion", review->resource.api_version()},
                 {"metadata", {{"creationTimestamp", format_time(now)}}}};
  if (const Json* spec = find(asked, "/spec")) answer["spec"] = *spec;
  answer["status"] = review->status();
  return answer_with(answer, 201);
}

}  // namespace trainctl::local
