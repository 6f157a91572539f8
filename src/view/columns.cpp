// Parses paths with or without braces and their first dot, as kubectl does.
#include "view/columns.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "base/text/text.h"

namespace trainctl::view {
namespace {

struct Heading {
  std::string_view name;
  std::string_view path;
};

constexpr Heading k_headings[] = {{"namespace", ".namespace"},
                                  {"name", ".name"},
                                  {"kind", ".jobKind"},
                                  {"phase", ".phase"},
                                  {"age", ".metadata.creationTimestamp"},
                                  {"since", ".since"},
                                  {"reason", ".reason"},
                                  {"message", ".message"}};

Result<JsonPath> parse_field(std::string_view text) {
  std::string path(trim(text));
  if (path.starts_with("{") && path.ends_with("}")) path = path.substr(1, path.size() - 2);
  if (!path.starts_with(".") && !path.starts_with("[")) path.insert(0, ".");
  return parse_jsonpath(cat("{", path, "}"));
}

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

bool comes_first(const std::string& a, const std::string& b) {
  const auto left = as_number(a);
  const auto right = as_number(b);
  if (left && right) return *left < *right;
  return a < b;
}

}  // namespace

std::string FieldPath::of(const Json& report) const {
  std::string text = path_.text(report);
  return text.empty() ? path_.text(object_at(report, "/object")) : text;
}

Result<std::vector<Column>> parse_columns(std::string_view text) {
  std::vector<Column> columns;
  for (const std::string& part : split(text, ',')) {
    const Halves halves = split_once(part, ':');
    if (!halves.found || halves.first.empty() || halves.second.empty()) {
      return Error{Code::usage, cat("-o custom-columns: `", part, "` is not HEADING:PATH"),
                   "write -o custom-columns=NAME:.name,PHASE:.phase"};
    }
    auto path = parse_field(halves.second);
    if (!path) {
      return Error{Code::usage,
                   cat("-o custom-columns: cannot read the path `", halves.second, "`"),
                   "write -o custom-columns=NAME:.name,PHASE:.phase"};
    }
    columns.push_back({halves.first, FieldPath(*std::move(path))});
  }
  return columns;
}

Result<FieldPath> parse_sort_field(const std::string& text) {
  const std::string name = lower(text);
  for (const Heading& heading : k_headings) {
    if (heading.name != name) continue;
    TRY_ASSIGN(JsonPath path, parse_field(heading.path));
    return FieldPath(std::move(path));
  }
  auto path = parse_field(text);
  if (path && text.find('.') != std::string::npos) return FieldPath(*std::move(path));
  return Error{Code::usage, cat("`", text, "` is neither a heading nor a path"),
               "--sort-by name, phase or age, or --sort-by .metadata.creationTimestamp"};
}

std::vector<std::size_t> sorted_by(const FieldPath& field, const std::vector<Json>& reports) {
  std::vector<std::string> keys;
  keys.reserve(reports.size());
  for (const Json& report : reports) keys.push_back(field.of(report));
  std::vector<std::size_t> order(reports.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&keys](std::size_t a, std::size_t b) { return comes_first(keys[a], keys[b]); });
  return order;
}

}  // namespace trainctl::view
