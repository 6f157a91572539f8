// Builds paths with their list and watch parameters.
#include "kube/client/collection.h"

#include <utility>

#include "net/url.h"

namespace trainctl::kube {

namespace {

Result<net::Request> collection_request(const Resource& resource, std::string_view ns,
                                        const ListOptions& options, net::Query query) {
  if (!options.label_selector.empty()) query.emplace_back("labelSelector", options.label_selector);
  if (!options.field_selector.empty()) query.emplace_back("fieldSelector", options.field_selector);
  TRY_ASSIGN(std::string path, resource_path(resource, ns));
  net::Request request;
  request.target = net::with_query(std::move(path), query);
  return request;
}

}  // namespace

Result<net::Request> list_request(const Resource& resource, std::string_view ns,
                                  const ListOptions& options, const std::string& continue_token) {
  net::Query query = {{"limit", std::to_string(options.page_size)}};
  if (!continue_token.empty()) query.emplace_back("continue", continue_token);
  TRY_ASSIGN(net::Request request, collection_request(resource, ns, options, std::move(query)));
  request.answer_limit = net::k_page_limit;
  return request;
}

Result<net::Request> watch_request(const Resource& resource, std::string_view ns,
                                   const ListOptions& options, const std::string& version,
                                   Duration limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit).count();
  net::Query query = {{"watch", "true"},
                      {"resourceVersion", version},
                      {"allowWatchBookmarks", "true"},
                      {"timeoutSeconds", std::to_string(seconds)}};
  return collection_request(resource, ns, options, std::move(query));
}

bool is_list(const Json& answer) {
  const Json* items = find(answer, "/items");
  const bool has_items = items != nullptr && items->is_array();
  return has_items || text_at(answer, "/kind").ends_with("List");
}

std::vector<Json> take_items(const Resource& resource, Json& list) {
  std::vector<Json> items;
  if (array_at(list, "/items").empty()) return items;
  for (Json& item : list["items"]) {
    if (!item.is_object()) continue;
    item["apiVersion"] = resource.api_version();
    item["kind"] = resource.kind;
    items.push_back(std::move(item));
  }
  return items;
}

net::Query write_query() {
  return {{"fieldManager", "trainctl"}, {"fieldValidation", "Strict"}};
}

Result<net::Request> create_request(const Resource& resource, std::string_view ns,
                                    const Json& object, const CreateOptions& options) {
  TRY_ASSIGN(std::string path, resource_path(resource, ns));
  net::Query query = write_query();
  if (options.dry_run) query.emplace_back("dryRun", "All");
  net::Request request;
  request.method = "POST";
  request.target = net::with_query(std::move(path), query);
  request.body = dump(object);
  return request;
}

}  // namespace trainctl::kube
