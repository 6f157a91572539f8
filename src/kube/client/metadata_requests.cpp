// Asks for the meta.k8s.io form of the answer; a server without it sends whole objects.
#include "kube/client/metadata_requests.h"

#include <utility>

#include "base/text/text.h"
#include "kube/client/collection.h"

namespace trainctl::kube {
namespace {

void ask_for_form(net::Request& request, std::string_view kind) {
  request.headers.push_back(
      {"Accept", cat("application/json;as=", kind, ";g=meta.k8s.io;v=v1, application/json")});
}

}  // namespace

void ask_for_metadata(net::Request& request) {
  ask_for_form(request, "PartialObjectMetadata");
}

std::variant<Json, Failure> list_metadata(Client& client, const Resource& resource,
                                          std::string_view ns, const ListOptions& options) {
  auto request = list_request(resource, std::string(ns), options, "");
  if (!request) return Failure{std::move(request).error(), {}};
  ask_for_form(*request, "PartialObjectMetadataList");
  return client.call(*std::move(request));
}

std::variant<Json, Failure> get_metadata(Client& client, const Resource& resource,
                                         std::string_view ns, std::string_view name) {
  auto path = object_path(resource, ns, name);
  if (!path) return Failure{std::move(path).error(), {}};
  net::Request request;
  request.target = *std::move(path);
  ask_for_metadata(request);
  return client.call(std::move(request));
}

std::variant<Json, Failure> add_owners(Client& client, const Resource& resource,
                                       std::string_view ns, const Json& there, const Json& owners) {
  Json references = array_at(there, "/metadata/ownerReferences");
  references.insert(references.end(), owners.begin(), owners.end());
  const Json patch = {{"metadata",
                       {{"uid", text_at(there, "/metadata/uid")},
                        {"resourceVersion", text_at(there, "/metadata/resourceVersion")},
                        {"ownerReferences", std::move(references)}}}};
  auto path = object_path(resource, ns, text_at(there, "/metadata/name"));
  if (!path) return Failure{std::move(path).error(), {}};
  net::Request request;
  request.method = "PATCH";
  request.target = net::with_query(*std::move(path), write_query());
  request.headers.push_back({"Content-Type", "application/merge-patch+json"});
  request.body = dump(patch);
  ask_for_metadata(request);
  return client.call(std::move(request));
}

}  // namespace trainctl::kube
