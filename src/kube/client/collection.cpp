// Builds paths with their list and watch parameters.
#include "kube/client/collection.h"

#include <functional>
#include <utility>

#include "base/text/text.h"
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

namespace {

constexpr std::size_t k_most_pages = 500;  // a quarter of a million objects
// A server fills its pages, except for some whose objects are gone meanwhile.
constexpr std::size_t k_thin_pages = 100;
constexpr std::size_t k_objects_of_a_page = 50;
constexpr std::size_t k_value_memory = 64;  // about what a value and its name take

Error broken(std::string_view what) {
  return {Code::unreachable, std::string(what),
          "a server or proxy in between is broken: try another route to the cluster"};
}

}  // namespace

std::size_t memory_of(const Json& value) {
  std::size_t sum = k_value_memory;
  if (const auto* text = value.get_ptr<const std::string*>()) sum += text->size();
  if (!value.is_structured()) return sum;
  for (const Json& each : value) sum += memory_of(each);
  return sum;
}

void Pages::restart() {
  if (together_) *together_ -= memory_;
  *this = Pages(std::move(together_));
}

Error too_many_objects(std::size_t most) {
  return broken(cat("the server reports more than ", most, " objects"));
}

Result<std::string> Pages::token_behind(const Json& page) {
  if (!is_list(page)) return Error{Code::unreachable, "the server sent no list", ""};
  std::string token = text_at(page, "/metadata/continue");
  if (token.empty() && !together_) return token;
  if (!token.empty()) TRY(follow(token));
  TRY(add(page));
  return token;
}

Status Pages::follow(std::string_view token) {
  if (!seen_.insert(std::hash<std::string_view>{}(token)).second) {
    return broken("the list does not end: the server gave the same page token twice");
  }
  if (seen_.size() >= k_most_pages) {
    return broken("the list does not end: the server gave 500 pages, and there are more");
  }
  return {};
}

Status Pages::add(const Json& page) {
  objects_ += array_at(page, "/items").size();
  const std::size_t memory = memory_of(page);
  memory_ += memory;
  if (together_) *together_ += memory;
  if (seen_.size() > k_thin_pages + objects_ / k_objects_of_a_page) {
    return broken(
        "the list does not end: the server gives page after page with hardly any objects");
  }
  if (memory_ > k_most_list_memory) return broken("the list is larger than 4 GiB");
  if (together_ && *together_ > k_most_list_memory) {
    return Error{Code::unreachable, "the lists are together larger than 4 GiB", ""};
  }
  return {};
}

}  // namespace trainctl::kube
