// Describes the API, derived from the served kinds.
#include <algorithm>
#include <vector>

#include "base/text/text.h"
#include "local/api/call.h"
#include "local/api/handlers.h"
#include "local/resources.h"

namespace trainctl::local {

namespace {

struct GroupVersion {
  std::string group;
  std::string version;

  std::string name() const { return group.empty() ? version : cat(group, '/', version); }
};

std::vector<GroupVersion> group_versions() {
  std::vector<GroupVersion> all;
  for (const ServedResource& row : served_resources()) {
    const bool known = std::ranges::any_of(all, [&](const GroupVersion& one) {
      return one.group == row.resource.group && one.version == row.resource.version;
    });
    if (!known) all.push_back({std::string(row.resource.group), std::string(row.resource.version)});
  }
  return all;
}

Json resource_list(const GroupVersion& wanted) {
  Json list = Json::array();
  for (const ServedResource& row : served_resources()) {
    const kube::Resource& resource = row.resource;
    if (resource.group != wanted.group || resource.version != wanted.version) continue;
    list.push_back(
        {{"name", resource.plural},
         {"singularName", lower(resource.kind)},
         {"namespaced", row.namespaced},
         {"kind", resource.kind},
         {"verbs", {"create", "delete", "deletecollection", "get", "list", "patch", "watch"}}});
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", wanted.name()},
          {"resources", std::move(list)}};
}

Json group_list() {
  Json groups = Json::array();
  for (const GroupVersion& one : group_versions()) {
    if (one.group.empty()) continue;
    const Json version = {{"groupVersion", one.name()}, {"version", one.version}};
    groups.push_back(
        {{"name", one.group}, {"versions", Json::array({version})}, {"preferredVersion", version}});
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<Json> described(std::string_view path) {
  if (path == "/version") return Json{{"gitVersion", "v1.34.4+trainctl"}};
  if (path == "/api") return Json{{"kind", "APIVersions"}, {"versions", {"v1"}}};
  if (path == "/apis") return group_list();
  for (const GroupVersion& one : group_versions()) {
    if (path == cat(one.group.empty() ? "/api/" : "/apis/", one.name())) return resource_list(one);
  }
  return std::nullopt;
}

// Every client is the owner of this cluster, its only user, who may do everything.
std::optional<Json> reviewed(std::string_view path) {
  if (path == "/apis/authentication.k8s.io/v1/selfsubjectreviews") {
    return Json{
        {"kind", "SelfSubjectReview"},
        {"status",
         {{"userInfo",
           {{"username", "admin"}, {"groups", {"system:masters", "system:authenticated"}}}}}}};
  }
  if (path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews") {
    return Json{{"kind", "SelfSubjectAccessReview"}, {"status", {{"allowed", true}}}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ApiAnswer> discover(const ApiRequest& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  if (request.method == "POST") {
    const auto review = reviewed(path);
    return review ? std::optional(answer_with(*review, 201)) : std::nullopt;
  }
  const auto answer = request.method == "GET" ? described(path) : std::nullopt;
  return answer ? std::optional(answer_with(*answer)) : std::nullopt;
}

}  // namespace trainctl::local
