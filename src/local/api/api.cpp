// Chooses the handler of a request: a table of methods and paths.
#include "local/api/api.h"

#include <algorithm>

#include "base/text/text.h"
#include "local/api/call.h"
#include "local/api/handlers.h"
#include "local/api/query.h"

namespace trainctl::local {

namespace {

using Reply = Answered<ApiAnswer>;

Reply read_one(const ApiParts& parts, const ApiCall& call) {
  const auto found = parts.store.get(*call.resource, call.ns, call.name);
  if (!found) return not_found(call.resource->qualified(), call.name);
  return answer_with(*found);
}

Json list_of(const ApiParts& parts, const ApiCall& call, const Selection& selection) {
  Json items = Json::array();
  for (const auto& object : parts.store.list(*call.resource, call.ns)) {
    if (selection.matches(*object)) items.push_back(*object);
  }
  return {{"kind", cat(call.resource->resource.kind, "List")},
          {"apiVersion", call.resource->resource.api_version()},
          {"metadata", {{"resourceVersion", std::to_string(parts.store.version())}}},
          {"items", std::move(items)}};
}

Reply read_collection(const ApiParts& parts, const ApiCall& call) {
  auto options = list_options(call);
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  ListOptions& wanted = std::get<ListOptions>(options);
  if (wanted.watch) return watch_objects(parts, call, std::move(wanted));
  if (auto error = refuse_future(wanted.resource_version, parts.store)) return *std::move(error);
  return answer_with(list_of(parts, call, wanted.selection));
}

// A collection across all namespaces can only be read.
Reply create_in_collection(const ApiParts& parts, const ApiCall& call) {
  if (call.resource->namespaced && call.ns.empty()) return method_not_allowed();
  return create_object(parts, call);
}

enum class Target { collection, object };

struct Route {
  std::string_view subresource;
  Target target;
  std::string_view method;
  Reply (*handle)(const ApiParts&, const ApiCall&);
};

constexpr Route k_routes[] = {
    {"", Target::collection, "GET", read_collection},
    {"", Target::collection, "POST", create_in_collection},
    {"", Target::object, "GET", read_one},
    {"", Target::object, "PATCH", patch_object},
    {"", Target::object, "DELETE", remove_object},
    {"log", Target::object, "GET", read_log},
    {"exec", Target::object, "GET", open_stream},
    {"attach", Target::object, "GET", open_stream},
    {"portforward", Target::object, "GET", open_stream},
};

constexpr std::string_view k_of_pods[] = {"log", "exec", "attach", "portforward"};

bool has_subresource(const ServedResource& resource, std::string_view name) {
  if (name.empty()) return true;
  return &resource == &resource_of(kube::k_pods) &&
         std::ranges::find(k_of_pods, name) != std::end(k_of_pods);
}

Reply reply_to(const ApiParts& parts, const ApiRequest& request) {
  if (auto answer = discover(request)) return *std::move(answer);
  const auto call = call_of(request);
  if (!call || !has_subresource(*call->resource, call->subresource)) return page_not_found();
  const Target target = call->is_collection() ? Target::collection : Target::object;
  for (const Route& row : k_routes) {
    const bool fits = row.subresource == call->subresource && row.target == target &&
                      row.method == request.method;
    if (fits) return row.handle(parts, *call);
  }
  return method_not_allowed();
}

}  // namespace

Api::Api(Loop& loop, Store& store, PodLogs& logs, PodStreams& streams)
    : loop_(loop), store_(store), logs_(logs), streams_(streams) {}

ApiAnswer Api::answer(const ApiRequest& request) {
  Reply reply = reply_to({loop_, store_, logs_, streams_}, request);
  if (const ApiError* error = std::get_if<ApiError>(&reply)) return answer_with(*error);
  return std::get<ApiAnswer>(std::move(reply));
}

}  // namespace trainctl::local
