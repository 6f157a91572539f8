// OpenAPI documents with the paths of the served kinds and the parameters of their PATCH.
#include "local/api/openapi.h"

#include "base/text/text.h"
#include "local/resources.h"

namespace trainctl::local {

namespace {

// The path of a group version: "api/v1", "apis/kubeflow.org/v1".
std::string group_path(const kube::Resource& resource) {
  if (resource.group.empty()) return cat("api/", resource.version);
  return cat("apis/", resource.group, '/', resource.version);
}

Json query_parameter(std::string_view name) {
  return {{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}, {"uniqueItems", true}}}};
}

// kubectl looks for `fieldValidation` in this document before it leaves validation to the server.
Json patch_operation(const kube::Resource& resource) {
  Json parameters = Json::array();
  for (const std::string_view name : {"dryRun", "fieldManager", "fieldValidation", "force"}) {
    parameters.push_back(query_parameter(name));
  }
  return {{"operationId", cat("patch", resource.kind)},
          {"parameters", std::move(parameters)},
          {"responses", {{"200", {{"description", "OK"}}}}},
          {"x-kubernetes-action", "patch"},
          {"x-kubernetes-group-version-kind",
           {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}}}};
}

}  // namespace

Json openapi_index() {
  Json paths = Json::object();
  for (const ServedResource& row : served_resources()) {
    const std::string path = group_path(row.resource);
    paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path}};
  }
  return {{"paths", std::move(paths)}};
}

Json openapi_document(std::string_view group, std::string_view version) {
  Json paths = Json::object();
  for (const ServedResource& row : served_resources()) {
    const kube::Resource& resource = row.resource;
    if (resource.group != group || resource.version != version) continue;
    const std::string_view place = row.namespaced ? "/namespaces/{namespace}/" : "/";
    const std::string path = cat('/', group_path(resource), place, resource.plural, "/{name}");
    paths[path] = {{"patch", patch_operation(resource)}};
  }
  return {{"openapi", "3.0.0"},
          {"info", {{"title", "Kubernetes"}, {"version", "v1.34.4"}}},
          {"paths", std::move(paths)},
          {"components", {{"schemas", Json::object()}}}};
}

}  // namespace trainctl::local
