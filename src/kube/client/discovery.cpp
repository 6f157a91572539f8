// Reads the lists and documents that API servers publish below /apis and /openapi.
#include "kube/client/discovery.h"

#include <utility>

#include "base/text/text.h"
#include "kube/client/collection.h"

namespace trainctl::kube {
namespace {

using Answer = std::variant<Json, Failure>;

Answer read(Client& client, std::string target) {
  net::Request request;
  request.target = std::move(target);
  return client.call(std::move(request));
}

}  // namespace

Result<bool> serves(Client& client, const Resource& resource) {
  Answer answer = read(client, "/apis/" + resource.api_version());
  if (auto* failure = std::get_if<Failure>(&answer)) {
    if (failure->refusal.status == 404) return false;
    return std::move(failure->error);
  }
  for (const Json& served : array_at(std::get<Json>(answer), "/resources")) {
    if (text_at(served, "/name") == resource.plural) return true;
  }
  return false;
}

Result<Json> openapi_of(Client& client, const Resource& resource) {
  Answer answer = read(client, "/openapi/v3/apis/" + resource.api_version());
  if (auto* failure = std::get_if<Failure>(&answer)) return std::move(failure->error);
  return std::get<Json>(std::move(answer));
}

Result<ServedVersions> served_versions(Client& client, std::span<const std::string_view> groups) {
  Answer version = read(client, "/version");
  if (auto* failure = std::get_if<Failure>(&version)) return std::move(failure->error);
  Answer list = read(client, "/apis");
  if (auto* failure = std::get_if<Failure>(&list)) return std::move(failure->error);
  ServedVersions served{text_at(std::get<Json>(version), "/gitVersion"), {}};
  for (const std::string_view wanted : groups) {
    for (const Json& group : array_at(std::get<Json>(list), "/groups")) {
      if (text_at(group, "/name") != wanted) continue;
      for (const Json& one : array_at(group, "/versions")) {
        served.api_versions.push_back(text_at(one, "/groupVersion"));
      }
    }
  }
  return served;
}

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
