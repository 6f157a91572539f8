// Chooses the handler of a request: a table of methods and paths.
#include "local/api/api.h"

#include <algorithm>

#include "base/text/text.h"
#include "local/api/body.h"
#include "local/api/call.h"
#include "local/api/delete.h"
#include "local/api/discovery.h"
#include "local/api/list.h"
#include "local/api/log.h"
#include "local/api/scale.h"
#include "local/api/self_review.h"
#include "local/api/streams.h"
#include "local/api/view.h"
#include "local/api/watch.h"
#include "local/api/write.h"

namespace trainctl::local {

namespace {

using Reply = Answered<ApiAnswer>;

Reply read_one(const ApiParts& parts, const ApiCall& call, const View& view) {
  const auto found = parts.store.get(*call.resource, call.ns, call.name);
  if (!found) return not_found(call.resource->qualified(), call.name);
  return answer_with(one_as(view, *call.resource, found, parts.loop.now()), 200, view);
}

Reply read_collection(const ApiParts& parts, const ApiCall& call, const View& view) {
  auto options = list_options(call);
  if (auto* error = std::get_if<ApiError>(&options)) return std::move(*error);
  ListOptions& wanted = std::get<ListOptions>(options);
  if (wanted.watch) return watch_objects(parts, call, std::move(wanted), view);
  auto list = list_objects(parts, call, wanted, view);
  if (auto* error = std::get_if<ApiError>(&list)) return std::move(*error);
  return answer_with(std::get<Json>(list), 200, view);
}

// A collection across all namespaces can only be read; namespaces are deleted one by one.
Reply create_in_collection(const ApiParts& parts, const ApiCall& call, const View& view) {
  if (call.resource->namespaced && call.ns.empty()) return method_not_allowed();
  return create_object(parts, call, view);
}

Reply remove_in_collection(const ApiParts& parts, const ApiCall& call, const View& view) {
  const bool everywhere = call.resource->namespaced && call.ns.empty();
  const bool is_namespaces = call.resource == &resource_of(kube::k_namespaces);
  if (everywhere || is_namespaces) return method_not_allowed();
  return remove_collection(parts, call, view);
}

Reply read_log_of(const ApiParts& parts, const ApiCall& call, const View&) {
  return read_log(parts, call);
}

Reply stream_of(const ApiParts& parts, const ApiCall& call, const View&) {
  return open_stream(parts, call);
}

// Nobody has this right here: an ephemeral container would need an image.
Reply refuse_ephemeral(const ApiParts&, const ApiCall& call, const View&) {
  return forbidden_subresource(call);
}

enum class Target { collection, object };

struct Route {
  std::string_view subresource;
  Target target;
  std::string_view method;
  Reply (*handle)(const ApiParts&, const ApiCall&, const View&);
};

constexpr Route k_routes[] = {
    {"", Target::collection, "GET", read_collection},
    {"", Target::collection, "POST", create_in_collection},
    {"", Target::collection, "DELETE", remove_in_collection},
    {"", Target::object, "GET", read_one},
    {"", Target::object, "PUT", replace_object},
    {"", Target::object, "PATCH", patch_object},
    {"", Target::object, "DELETE", remove_object},
    {"status", Target::object, "GET", read_one},
    {"status", Target::object, "PUT", replace_object},
    {"status", Target::object, "PATCH", patch_object},
    {"scale", Target::object, "GET", read_scale},
    {"scale", Target::object, "PUT", write_scale},
    {"scale", Target::object, "PATCH", write_scale},
    {"log", Target::object, "GET", read_log_of},
    {"exec", Target::object, "GET", stream_of},
    {"exec", Target::object, "POST", stream_of},
    {"attach", Target::object, "GET", stream_of},
    {"attach", Target::object, "POST", stream_of},
    {"portforward", Target::object, "GET", stream_of},
    {"portforward", Target::object, "POST", stream_of},
    {"ephemeralcontainers", Target::object, "GET", refuse_ephemeral},
    {"ephemeralcontainers", Target::object, "PUT", refuse_ephemeral},
    {"ephemeralcontainers", Target::object, "PATCH", refuse_ephemeral},
};

constexpr std::string_view k_of_pods[] = {"log", "exec", "attach", "portforward",
                                          "ephemeralcontainers"};

// The pod subresource binding is not served.
bool has_subresource(const ServedResource& resource, std::string_view name) {
  if (name.empty()) return true;
  if (name == "status") return resource.has_status;
  if (name == "scale") return resource.scalable;
  return &resource == &resource_of(kube::k_pods) &&
         std::ranges::find(k_of_pods, name) != std::end(k_of_pods);
}

// The server for custom resources checks the method before the path.
Reply custom_resource_method(const ApiParts& parts, const ApiCall& call, const View& view) {
  if (call.request->method == "POST" && call.subresource.empty()) {
    return create_object(parts, call, view);
  }
  if (call.request->method == "PUT") return bad_request("name must be provided");
  const std::string resource = call.resource->qualified();
  ApiError error = not_found(resource, "");
  error.code = 405;
  error.reason = "MethodNotAllowed";
  error.message = cat(" is not supported on resources of kind \"", resource, "\"");
  return error;
}

Reply route(const ApiParts& parts, const ApiCall& call, const View& view) {
  const Target target = call.is_collection() ? Target::collection : Target::object;
  for (const Route& row : k_routes) {
    const bool fits = row.subresource == call.subresource && row.target == target &&
                      row.method == call.request->method;
    if (fits) return row.handle(parts, call, view);
  }
  if (call.resource->job_kind == nullptr) return method_not_allowed();
  return custom_resource_method(parts, call, view);
}

Reply reply_to(const ApiParts& parts, const ApiRequest& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  if (request.method == "GET") {
    if (auto answer = discover(path, request.accept)) return *std::move(answer);
  }
  if (auto answer = review_self(request, parts.loop.now())) return *std::move(answer);
  const auto call = call_of(request);
  if (!call) return page_not_found();
  if (!has_subresource(*call->resource, call->subresource)) {
    if (call->resource->job_kind == nullptr) return page_not_found();
    return not_found(call->resource->qualified(), call->name);
  }
  if (auto error = refuse_large(request.body)) return *std::move(error);
  // A log is text, and a stream is not, regardless of what the client accepts.
  const bool is_object =
      call->subresource.empty() || call->subresource == "status" || call->subresource == "scale";
  auto view = is_object ? view_of(request.accept, call->query) : Answered<View>(View{});
  if (auto* error = std::get_if<ApiError>(&view)) return std::move(*error);
  return route(parts, *call, std::get<View>(view));
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
