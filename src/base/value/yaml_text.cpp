// Examines lines, quotes and characters of a YAML text.
#include "base/value/yaml_text.h"

#include <algorithm>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace trainctl {

namespace {

constexpr std::string_view k_yaml_blanks = " \t\r\n";

// Brackets are counted even inside quotes, so the limit is far above what real nesting uses.
constexpr std::size_t k_most_open_brackets = 50'000;

}  // namespace

YamlLines::YamlLines(std::string_view text) {
  while (!text.empty()) {
    const auto length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines_.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string_view YamlLines::at(Place place) const {
  const auto index = static_cast<std::size_t>(place.line - 1);
  return index < lines_.size() ? lines_[index] : std::string_view{};
}

std::string_view YamlLines::from(Place place) const {
  const std::string_view line = at(place);
  if (line.empty()) return {};
  const auto column = std::min(static_cast<std::size_t>(place.column - 1), line.size());
  const char* end = lines_.back().data() + lines_.back().size();
  return {line.data() + column, static_cast<std::size_t>(end - line.data()) - column};
}

Status check_characters(std::string_view text, std::string_view name) {
  Place place;
  std::size_t open_brackets = 0;
  while (!text.empty()) {
    const auto c = take_code_point(text);
    if (!c) return yaml_error(name, place, "this is not UTF-8 text");
    if (*c < 0x20 && *c != '\t' && *c != '\n' && *c != '\r') {
      return yaml_error(name, place, cat("control character ", static_cast<unsigned>(*c)));
    }
    if (*c == '[' || *c == '{') ++open_brackets;
    if ((*c == ']' || *c == '}') && open_brackets > 0) --open_brackets;
    if (open_brackets > k_most_open_brackets) {
      return yaml_error(name, place, "too many brackets that are not closed");
    }
    place = *c == '\n' ? Place{place.line + 1, 1} : Place{place.line, place.column + 1};
  }
  return {};
}

bool quote_is_closed(std::string_view text) {
  while (!text.empty() &&
         (text[0] == '&' || text[0] == '!')) {  // anchor and tag precede the scalar
    text.remove_prefix(std::min(text.find_first_of(k_yaml_blanks), text.size()));
    text.remove_prefix(std::min(text.find_first_not_of(k_yaml_blanks), text.size()));
  }
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return true;
  const char quote = text[0];
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool doubled = quote == '\'' && text.substr(i, 2) == "''";
    const bool escape = quote == '"' && text[i] == '\\';
    if (doubled || escape) {
      ++i;
    } else if (text[i] == quote) {
      return true;
    }
  }
  return false;
}

bool is_document_marker(std::string_view line) {
  if (line.substr(0, 3) != "---") return false;
  return line.size() == 3 || k_yaml_blanks.find(line[3]) != std::string_view::npos;
}

}  // namespace trainctl
