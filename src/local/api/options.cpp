// Reads the options of lists, watches and deletions.
#include "local/api/options.h"

#include <algorithm>
#include <limits>

#include "base/text/text.h"

namespace trainctl::local {

Answered<ListOptions> list_options(const ApiCall& call) {
  auto timeout = call.query.number("timeoutSeconds");
  if (auto* error = std::get_if<ApiError>(&timeout)) return std::move(*error);
  auto version = call.query.number("resourceVersion");
  if (auto* error = std::get_if<ApiError>(&version)) return std::move(*error);
  auto labels = parse_label_selector(call.query.text("labelSelector"));
  if (auto* error = std::get_if<ApiError>(&labels)) return std::move(*error);
  auto fields = parse_field_selector(*call.resource, call.query.text("fieldSelector"));
  if (auto* error = std::get_if<ApiError>(&fields)) return std::move(*error);

  ListOptions options;
  options.timeout = std::get<0>(timeout);
  options.resource_version = std::get<0>(version).value_or(0);
  options.selection = {std::get<0>(std::move(labels)), std::get<0>(std::move(fields))};
  options.watch = call.query.flag("watch");
  options.bookmarks = call.query.flag("allowWatchBookmarks");
  return options;
}

std::optional<ApiError> refuse_future(std::int64_t version, const Store& store) {
  if (version <= store.version()) return std::nullopt;
  const Json causes = Json::array(
      {{{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}}});
  return ApiError{
      504,
      "Timeout",
      cat("Timeout: Too large resource version: ", version, ", current: ", store.version()),
      {{"causes", causes}, {"retryAfterSeconds", 1}}};
}

Answered<DeleteOptions> delete_options(const ApiCall& call) {
  Json body = Json::object();
  if (!call.request->body.empty()) {
    auto parsed = body_of(*call.request);
    if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
    body = std::get<Json>(std::move(parsed));
  }
  DeleteOptions options;
  const std::int64_t grace = int_at(body, "/gracePeriodSeconds").value_or(-1);
  options.grace =
      static_cast<int>(std::clamp<std::int64_t>(grace, -1, std::numeric_limits<int>::max()));
  options.propagation = text_at(body, "/propagationPolicy");
  options.uid = text_at(body, "/preconditions/uid");
  options.resource_version = text_at(body, "/preconditions/resourceVersion");
  return options;
}

}  // namespace trainctl::local
