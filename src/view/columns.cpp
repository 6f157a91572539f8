// Parses paths with or without braces and their first dot, as kubectl does.
#include "view/columns.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "base/text/text.h"

namespace trainctl::view {
namespace {

Error unreadable(std::string_view text) {
  return {Code::usage, cat("-o jsonpath: cannot read `", text, "`"),
          "paths like {.phase}, {.object.spec} or {.items[*].name} work; for more, -o json and jq"};
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool escape = text[i] == '\\' && (next == 'n' || next == 't');
    if (escape) ++i;
    plain += !escape ? text[i] : next == 'n' ? '\n' : '\t';
  }
  return plain;
}

bool is_quoted(std::string_view text, char quote) {
  return text.size() > 2 && text.front() == quote && text.back() == quote;
}

// Removes ".key", ".*", "[3]", "[*]" or "['key']" from the front; nullopt when there is none of
// them.
std::optional<PathStep> take_step(std::string_view& rest) {
  PathStep step;
  if (rest.starts_with('.')) {
    const auto end = std::min(rest.find_first_of(".[", 1), rest.size());
    step.key = std::string(rest.substr(1, end - 1));
    rest.remove_prefix(end);
    if (step.key.empty()) return std::nullopt;
    step.every = step.key == "*";
    return step;
  }
  const auto end = rest.find(']');
  if (!rest.starts_with('[') || end == std::string_view::npos) return std::nullopt;
  const std::string_view index = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  step.every = index == "*";
  if (step.every) return step;
  if (is_quoted(index, '\'')) {
    step.key = std::string(index.substr(1, index.size() - 2));
    return step;
  }
  const auto number = parse_number<long>(index);
  if (!number) return std::nullopt;
  step.index = *number;
  return step;
}

Result<std::vector<PathStep>> parse_path(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('$')) rest.remove_prefix(1);
  std::vector<PathStep> steps;
  while (!rest.empty()) {
    auto step = take_step(rest);
    if (!step) return unreadable(text);
    steps.push_back(*std::move(step));
  }
  return steps;
}

// The values that a step leads to from one value: none, one, or all of its members.
std::vector<const Json*> follow(const Json& from, const PathStep& step) {
  std::vector<const Json*> found;
  if (step.every) {
    if (!from.is_structured()) return found;
    for (const Json& part : from) found.push_back(&part);
  } else if (!step.key.empty()) {
    if (from.is_object() && from.contains(step.key)) found.push_back(&from.at(step.key));
  } else if (from.is_array()) {
    const auto size = static_cast<long>(from.size());
    const long at = step.index < 0 ? size + step.index : step.index;
    if (at >= 0 && at < size) found.push_back(&from.at(static_cast<std::size_t>(at)));
  }
  std::erase_if(found, [](const Json* value) { return value->is_null(); });
  return found;
}

std::string matches(const Json& value, const std::vector<PathStep>& path) {
  std::vector<const Json*> here = {&value};
  for (const PathStep& step : path) {
    std::vector<const Json*> next;
    for (const Json* each : here) {
      const auto found = follow(*each, step);
      next.insert(next.end(), found.begin(), found.end());
    }
    here = std::move(next);
  }
  std::vector<std::string> words;
  for (const Json* each : here) {
    words.push_back(each->is_string() ? each->get<std::string>() : dump(*each));
  }
  return join(words, " ");
}

}  // namespace

std::string JsonPath::text(const Json& value) const {
  std::string text;
  for (const auto& part : parts_) {
    const auto* plain = std::get_if<std::string>(&part);
    text += plain != nullptr ? *plain : matches(value, std::get<std::vector<PathStep>>(part));
  }
  return text;
}

Result<JsonPath> parse_jsonpath(std::string_view text) {
  JsonPath path;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto open = std::min(rest.find('{'), rest.size());
    if (open > 0) path.parts_.emplace_back(std::string(rest.substr(0, open)));
    rest.remove_prefix(open);
    if (rest.empty()) break;
    const auto close = rest.find('}');
    if (close == std::string_view::npos) return unreadable(rest);
    const std::string_view inner = trim(rest.substr(1, close - 1));
    rest.remove_prefix(close + 1);
    if (is_quoted(inner, '"')) {
      path.parts_.emplace_back(unescaped(inner.substr(1, inner.size() - 2)));
      continue;
    }
    TRY_ASSIGN(auto steps, parse_path(inner));
    path.parts_.emplace_back(std::move(steps));
  }
  return path;
}

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
