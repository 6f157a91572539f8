// Parses paths, queries and bodies, and makes answers.
#include "local/api/call.h"

#include <algorithm>

#include "base/text/text.h"

namespace trainctl::local {

namespace {

std::string query_decoded(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return net::percent_decoded(text);
}

// "namespaces/NS" is about the namespace itself, "namespaces/NS/pods" about its contents.
bool is_inside_namespace(const std::vector<std::string>& steps) {
  return steps.size() > 2 && steps[0] == "namespaces";
}

}  // namespace

ApiQuery::ApiQuery(std::string_view text) {
  if (text.empty()) return;
  for (const std::string& pair : split(text, '&')) {
    if (pair.empty() || pair.find(';') != std::string::npos) continue;
    Halves halves = split_once(pair, '=');
    pairs_.emplace_back(query_decoded(halves.first), query_decoded(halves.second));
  }
}

std::optional<std::string> ApiQuery::get(std::string_view name) const {
  for (const auto& [key, value] : pairs_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> ApiQuery::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : pairs_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

bool ApiQuery::flag(std::string_view name) const {
  const auto value = get(name);
  return value && *value != "0" && lower(*value) != "false";
}

Answered<std::optional<std::int64_t>> ApiQuery::number(std::string_view name) const {
  const auto value = get(name);
  if (!value || value->empty()) return std::optional<std::int64_t>();
  const auto number = parse_number<std::int64_t>(*value);
  if (!number) return bad_request(cat(name, ": \"", printable_line(*value), "\" is no number"));
  return number;
}

std::optional<ApiCall> call_of(const ApiRequest& request) {
  const Halves target = split_once(request.target, '?');
  if (!target.first.starts_with('/')) return std::nullopt;
  std::vector<std::string> steps = split(std::string_view(target.first).substr(1), '/');
  for (std::string& step : steps) step = net::percent_decoded(step);
  const bool is_core = steps[0] == "api";
  const std::size_t prefix = is_core ? 2 : 3;
  if ((!is_core && steps[0] != "apis") || steps.size() <= prefix) return std::nullopt;

  const std::string group = is_core ? "" : steps[1];
  const std::string version = steps[prefix - 1];
  steps.erase(steps.begin(), steps.begin() + std::ptrdiff_t(prefix));
  ApiCall call;
  call.request = &request;
  call.query = ApiQuery(target.second);
  const bool inside = is_inside_namespace(steps);
  if (inside) {
    call.ns = steps[1];
    steps.erase(steps.begin(), steps.begin() + 2);
  }
  if (steps.size() > 3 || std::ranges::count(steps, "") != 0) return std::nullopt;
  call.resource = find_resource(group, version, steps[0]);
  if (call.resource == nullptr || (inside && !call.resource->namespaced)) return std::nullopt;
  if (steps.size() > 1) call.name = steps[1];
  if (steps.size() > 2) call.subresource = steps[2];
  const bool homeless = call.resource->namespaced && !inside && !call.name.empty();
  return homeless ? std::nullopt : std::optional(std::move(call));
}

ApiAnswer answer_with(const Json& body, int code) {
  ApiAnswer answer;
  answer.code = code;
  answer.body = dump(body) + "\n";
  return answer;
}

ApiAnswer answer_with(const ApiError& error) {
  ApiAnswer answer = answer_with(status_object(error), error.code);
  if (!error.plain_text) return answer;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = error.message;
  return answer;
}

Answered<Json> body_of(const ApiRequest& request, std::string_view media_type) {
  constexpr std::size_t k_largest_body = 3'145'728;
  if (request.body.size() > k_largest_body) {
    return ApiError{413, "RequestEntityTooLarge",
                    cat("Request entity too large: limit is ", k_largest_body)};
  }
  const std::string type =
      lower(trim(request.content_type.substr(0, request.content_type.find(';'))));
  if (type != media_type) {
    return ApiError{415, "UnsupportedMediaType",
                    cat("the embedded cluster takes ", media_type, " here")};
  }
  Result<Json> parsed = parse_json(request.body, "the body");
  if (!parsed) return bad_request(parsed.error().message);
  if (!parsed->is_object()) return bad_request("the body is no JSON object");
  return *std::move(parsed);
}

ApiError method_not_allowed() {
  return {405, "MethodNotAllowed",
          "the server does not allow this method on the requested resource", Json::object()};
}

}  // namespace trainctl::local
