// Builds a list at a version from the present state by undoing later changes.
#include "local/api/list.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "base/value/base64.h"

namespace trainctl::local {

namespace {

constexpr std::string_view k_token_version = "meta.k8s.io/v1";
constexpr std::int64_t k_inconsistent = -1;  // marks a token that continues with the present state

constexpr std::string_view k_expired_token =
    "The provided continue parameter is too old to display a consistent list result. You can start "
    "a new list without the continue parameter, or use the continue token in this response to "
    "retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list.";

// The position where a list continues: at the first key that is not less than `start`.
struct Position {
  std::int64_t version = 0;
  std::string start;
};

std::string token_of(const Position& position) {
  const Json token = {{"v", k_token_version}, {"rv", position.version}, {"start", position.start}};
  std::string text = base64_encode(dump(token));
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

Answered<Position> position_of(std::string token) {
  const auto refused = [](std::string_view why) {
    return bad_request(cat("invalid continue token: continue key is not valid: ", why));
  };
  for (char& c : token) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (token.size() % 4 != 0) token += '=';
  const auto bytes = base64_decode(token);
  if (!bytes) return refused("illegal base64 data at input byte 0");
  const Result<Json> json = parse_json(*bytes, "token");
  if (!json) return refused("invalid character in the token");
  const std::string version = text_at(*json, "/v");
  if (version != k_token_version) {
    return refused(cat("server does not recognize this encoded version \"", version, "\""));
  }
  const std::int64_t number = int_at(*json, "/rv").value_or(0);
  if (number == 0) {
    return refused("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  Position position{number, text_at(*json, "/start")};
  if (position.start.empty()) return refused("encoded start key empty (version meta.k8s.io/v1)");
  return position;
}

auto position_in(const Objects& objects, const std::string& key) {
  return std::ranges::lower_bound(objects, key, {},
                                  [](const auto& object) { return list_key(*object); });
}

void undo(const Change& change, Objects& objects) {
  const std::string key = list_key(*change.object);
  const auto place = position_in(objects, key);
  const bool is_there = place != objects.end() && list_key(**place) == key;
  if (is_there) objects.erase(place);
  if (change.before != nullptr) objects.insert(position_in(objects, key), change.before);
}

// The objects at a version, in the order of their keys; nullopt when it is too old.
std::optional<Objects> objects_at(const Store& store, const ApiCall& call, std::int64_t version) {
  std::vector<Change> later;
  if (!store.changes_since(version, later)) return std::nullopt;
  Objects objects = store.list(*call.resource, call.ns);
  for (auto change = later.rbegin(); change != later.rend(); ++change) {
    const bool elsewhere =
        !call.ns.empty() && text_at(*change->object, "/metadata/namespace") != call.ns;
    if (change->resource == call.resource && !elsewhere) undo(*change, objects);
  }
  return objects;
}

ApiError expired_token(const Position& position) {
  ApiError error{410, "Expired", std::string(k_expired_token)};
  error.metadata["continue"] = token_of({k_inconsistent, position.start});
  return error;
}

// Determines the requested version, and where the page begins.
Answered<Position> starting_point(const Store& store, const ListOptions& options) {
  auto version = parse_version(options.resource_version);
  if (const auto* error = std::get_if<ApiError>(&version)) {
    return bad_request("invalid resource version: " + error->message);
  }
  const std::int64_t asked = std::get<0>(version);
  if (options.continue_token.empty()) {
    if (auto error = refuse_future(asked, store)) return *std::move(error);
    return Position{options.version_match == "Exact" ? asked : store.version(), ""};
  }
  if (asked != 0) {
    return bad_request("specifying resource version is not allowed when using continue");
  }
  auto position = position_of(options.continue_token);
  Position* known = std::get_if<Position>(&position);
  if (known != nullptr && known->version == k_inconsistent) known->version = store.version();
  return position;
}

}  // namespace

std::string list_key(const Json& object) {
  const std::string ns = text_at(object, "/metadata/namespace");
  const std::string name = text_at(object, "/metadata/name");
  return ns.empty() ? name : cat(ns, '/', name);
}

Answered<Json> list_objects(const ApiParts& parts, const ApiCall& call, const ListOptions& options,
                            const View& view) {
  auto start = starting_point(parts.store, options);
  if (auto* error = std::get_if<ApiError>(&start)) return std::move(*error);
  const Position position = std::get<Position>(start);
  const auto objects = objects_at(parts.store, call, position.version);
  if (!objects && options.continue_token.empty()) {
    return ApiError{410, "Expired", "The resourceVersion for the provided list is too old."};
  }
  if (!objects) return expired_token(position);

  Objects page;
  auto next = position_in(*objects, position.start);
  for (; next != objects->end(); ++next) {
    if (options.limit > 0 && std::int64_t(page.size()) == options.limit) break;
    if (options.selection.matches(**next)) page.push_back(*next);
  }
  Json metadata = {{"resourceVersion", std::to_string(position.version)}};
  if (next != objects->end()) {
    // The smallest key after the last one, so that a token stays valid when either object is
    // deleted.
    const std::string behind = list_key(**std::prev(next)) + '\0';
    metadata["continue"] = token_of({position.version, behind});
    if (options.selection.empty()) {
      metadata["remainingItemCount"] = std::distance(next, objects->end());
    }
  }
  return list_as(view, *call.resource, page, metadata, parts.loop.now());
}

}  // namespace trainctl::local
