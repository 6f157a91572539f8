// Options of requests, and the refusals of apimachinery's option validation.
#include "local/api/options.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text/text.h"
#include "local/api/body.h"

namespace trainctl::local {

namespace {

struct ValidationName {
  std::string_view name;
  FieldValidation validation;
};
constexpr std::array k_validations = {
    ValidationName{"", FieldValidation::warn},
    ValidationName{"Ignore", FieldValidation::ignore},
    ValidationName{"Strict", FieldValidation::strict},
    ValidationName{"Warn", FieldValidation::warn},
};

constexpr std::array<std::string_view, 3> k_propagations = {"Background", "Foreground", "Orphan"};

ApiError refused_options(std::string_view kind, const std::vector<FieldFault>& faults) {
  return invalid(cat(kind, ".meta.k8s.io"), "", faults);
}

void check_dry_run(const std::vector<std::string>& values, std::vector<FieldFault>& faults) {
  const bool known = std::ranges::all_of(values, [](const auto& value) { return value == "All"; });
  if (known) return;
  faults.push_back(
      {"dryRun", cat("Unsupported value: ", dump(Json(values)), ": supported values: \"All\"")});
}

std::vector<FieldFault> version_faults(const ListOptions& options, bool has_initial_events) {
  std::vector<FieldFault> faults;
  if (has_initial_events && options.version_match != "NotOlderThan") {
    faults.push_back({"resourceVersionMatch",
                      "Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
                      "NotOlderThan"});
  }
  if (options.version_match.empty() || has_initial_events) return faults;
  if (options.resource_version.empty()) {
    faults.push_back({"resourceVersionMatch",
                      "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is "
                      "provided"});
  }
  if (options.version_match != "Exact" && options.version_match != "NotOlderThan") {
    faults.push_back(
        {"resourceVersionMatch", cat("Unsupported value: \"", options.version_match,
                                     "\": supported values: \"Exact\", \"NotOlderThan\", \"\"")});
  }
  if (options.version_match == "Exact" && options.resource_version == "0") {
    faults.push_back({"resourceVersionMatch",
                      "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion "
                      "\"0\""});
  }
  return faults;
}

// The query's value applies when the body has none.
std::string text_of(const Json& body, const char* place, const ApiQuery& query,
                    std::string_view parameter) {
  return text_at(body, place, query.text(parameter));
}

int whole(std::int64_t number) {
  constexpr std::int64_t k_largest_int = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp<std::int64_t>(number, -1, k_largest_int));
}

}  // namespace

Answered<ListOptions> list_options(const ApiCall& call) {
  ListOptions options;
  auto limit = call.query.number("limit");
  if (auto* error = std::get_if<ApiError>(&limit)) return std::move(*error);
  auto timeout = call.query.number("timeoutSeconds");
  if (auto* error = std::get_if<ApiError>(&timeout)) return std::move(*error);
  auto labels = parse_label_selector(call.query.text("labelSelector"));
  if (auto* error = std::get_if<ApiError>(&labels)) return std::move(*error);
  auto fields = parse_field_selector(*call.resource, call.query.text("fieldSelector"));
  if (auto* error = std::get_if<ApiError>(&fields)) return std::move(*error);

  options.limit = std::get<0>(limit).value_or(0);
  options.timeout = std::get<0>(timeout);
  options.selection = {std::get<0>(std::move(labels)), std::get<0>(std::move(fields))};
  options.continue_token = call.query.text("continue");
  options.resource_version = call.query.text("resourceVersion");
  options.version_match = call.query.text("resourceVersionMatch");
  options.watch = call.query.flag("watch");
  options.bookmarks = call.query.flag("allowWatchBookmarks");
  options.send_initial_events = call.query.flag("sendInitialEvents");
  const bool has_initial_events = call.query.get("sendInitialEvents").has_value();
  const std::vector<FieldFault> faults = version_faults(options, has_initial_events);
  if (!faults.empty()) return refused_options("ListOptions", faults);
  return options;
}

Answered<std::int64_t> parse_version(std::string_view text) {
  if (text.empty()) return std::int64_t{0};
  const auto version = parse_number<std::int64_t>(text);
  if (version && *version >= 0) return *version;
  return ApiError{500, "",
                  cat("resourceVersion: Invalid value: \"", text,
                      "\": strconv.ParseUint: parsing \"", text, "\": invalid syntax")};
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

Answered<WriteOptions> write_options(const ApiQuery& query, std::string_view kind) {
  WriteOptions options;
  std::vector<FieldFault> faults;
  const std::vector<std::string> dry_run = query.all("dryRun");
  check_dry_run(dry_run, faults);
  options.dry_run = !dry_run.empty();
  const std::string wanted = query.text("fieldValidation");
  const auto found = std::ranges::find_if(
      k_validations, [&](const ValidationName& known) { return known.name == wanted; });
  if (found == k_validations.end()) {
    faults.push_back(
        {"fieldValidation", cat("Unsupported value: \"", wanted,
                                "\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"")});
  } else {
    options.validation = found->validation;
  }
  if (!faults.empty()) return refused_options(kind, faults);
  return options;
}

Answered<DeleteOptions> delete_options(const ApiCall& call) {
  Json body = Json::object();
  if (!trim(call.request->body).empty()) {
    auto parsed = read_body("DeleteOptions", call.request->content_type, call.request->body);
    if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
    body = std::get<RequestBody>(std::move(parsed)).object;
  }
  auto grace = call.query.number("gracePeriodSeconds");
  if (auto* error = std::get_if<ApiError>(&grace)) return std::move(*error);

  DeleteOptions options;
  const auto seconds = int_at(body, "/gracePeriodSeconds");
  options.grace = whole(seconds ? *seconds : std::get<0>(grace).value_or(-1));
  options.propagation = text_of(body, "/propagationPolicy", call.query, "propagationPolicy");
  if (find(body, "/orphanDependents") != nullptr) {
    options.propagation = true_at(body, "/orphanDependents") ? "Orphan" : "Background";
  }
  options.uid = text_at(body, "/preconditions/uid");
  options.resource_version = text_at(body, "/preconditions/resourceVersion");

  std::vector<FieldFault> faults;
  std::vector<std::string> dry_run = call.query.all("dryRun");
  for (const Json& value : array_at(body, "/dryRun")) dry_run.push_back(text_at(value, ""));
  check_dry_run(dry_run, faults);
  options.dry_run = !dry_run.empty();
  const bool known = std::ranges::find(k_propagations, options.propagation) != k_propagations.end();
  if (!known && !options.propagation.empty()) {
    faults.push_back({"propagationPolicy",
                      cat("Unsupported value: \"", options.propagation,
                          "\": supported values: \"Foreground\", \"Background\", \"Orphan\", "
                          "\"nil\"")});
  }
  if (!faults.empty()) return refused_options("DeleteOptions", faults);
  return options;
}

}  // namespace trainctl::local
