// Writes JSON values as YAML that every reader of YAML 1.1 or 1.2 reads as the same values.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "base/value/yaml.h"

namespace trainctl {

namespace {

// YAML readers may stop looking for the colon behind a key after 1024 characters.
constexpr std::size_t k_longest_simple_key = 128;

bool is_plain_char(char c) {
  constexpr std::string_view k_plain_signs = "_./@%+=,: -";
  return is_letter(c) || (c >= '0' && c <= '9') || k_plain_signs.find(c) != std::string_view::npos;
}

// Words that YAML 1.1 or 1.2 readers parse as booleans, null or numbers.
bool is_reserved(std::string_view text) {
  constexpr std::array<std::string_view, 9> k_words = {"y",   "n",    "yes",   "no",  "on",
                                                       "off", "true", "false", "null"};
  return std::ranges::find(k_words, lower(text)) != k_words.end();
}

// Words, paths, names, images and flags are written plain. Everything that begins like a number, a
// date or an indicator is quoted without further checks.
bool may_stand_plain(std::string_view text) {
  if (text.empty() || text.size() > k_longest_simple_key) return false;
  const bool flag = text.size() > 2 && text.substr(0, 2) == "--" && is_letter(text[2]);
  if (!flag && !is_letter(text[0]) && text[0] != '/') return false;
  if (!std::ranges::all_of(text, is_plain_char)) return false;
  const bool colon_ends_it = text.find(": ") != std::string_view::npos || text.back() == ':';
  return !colon_ends_it && text.back() != ' ' && !is_reserved(text);
}

// Characters that YAML forbids unescaped in a quoted scalar, beyond JSON's control characters, or
// folds as a line break.
bool must_be_escaped(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         c == 0xFFFE || c == 0xFFFF;
}

void put_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::string_view before = text;
    const auto c = take_code_point(text);
    if (!c) {
      out += "\\uFFFD";
    } else if (*c == '"' || *c == '\\') {
      out += '\\';
      out += static_cast<char>(*c);
    } else if (*c == '\n') {
      out += "\\n";
    } else if (*c == '\t') {
      out += "\\t";
    } else if (must_be_escaped(*c)) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04X", static_cast<unsigned>(*c));
      out += escape.data();
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  out += '"';
}

void put_text(std::string& out, std::string_view text) {
  if (may_stand_plain(text)) {
    out += text;
  } else {
    put_quoted(out, text);
  }
}

// A text of several lines, such as a script, is easier to read as it is than with escapes.
bool may_stand_as_block(std::string_view text) {
  constexpr int k_fewest_lines = 5;
  if (std::ranges::count(text, '\n') < k_fewest_lines || text.front() == ' ' ||
      text.front() == '\n') {
    return false;
  }
  while (!text.empty()) {
    const auto c = take_code_point(text);
    if (!c || (*c != '\n' && *c != '\t' && must_be_escaped(*c))) return false;
  }
  return true;
}

void put_block(std::string& out, std::string_view text, std::size_t indent) {
  out += text.ends_with("\n\n") ? "|+" : text.back() == '\n' ? "|" : "|-";
  if (text.back() == '\n') text.remove_suffix(1);
  for (const std::string& line : split(text, '\n')) {
    out += '\n';
    if (!line.empty()) out.append(indent, ' ') += line;
  }
}

void put_scalar(std::string& out, const Json& value) {
  if (value.is_string()) return put_text(out, value.get_ref<const std::string&>());
  std::string literal = dump(value);  // also "{}" and "[]"
  const auto exponent = literal.find('e');
  const bool bare_exponent = value.is_number_float() && exponent != std::string::npos &&
                             literal.find('.') == std::string::npos;
  if (bare_exponent) literal.insert(exponent, ".0");  // a float needs its point in YAML 1.1
  out += literal;
}

void put_leaf(std::string& out, const Json& value, std::size_t indent) {
  if (value.is_string() && may_stand_as_block(value.get_ref<const std::string&>())) {
    return put_block(out, value.get_ref<const std::string&>(), indent);
  }
  put_scalar(out, value);
}

void put_map(std::string& out, const Json& map, std::size_t indent);
void put_list(std::string& out, const Json& list, std::size_t indent);

void begin_line(std::string& out, std::size_t indent) {
  out += '\n';
  out.append(indent, ' ');
}

// Writes the value behind "key:"; lists follow below their key, unindented, as kubectl prints them.
void put_value(std::string& out, const Json& value, std::size_t indent, std::size_t list_indent) {
  if (value.is_object() && !value.empty()) {
    begin_line(out, indent + 2);
    put_map(out, value, indent + 2);
  } else if (value.is_array() && !value.empty()) {
    begin_line(out, list_indent);
    put_list(out, value, list_indent);
  } else {
    out += ' ';
    put_leaf(out, value, indent + 2);
  }
}

void put_map(std::string& out, const Json& map, std::size_t indent) {
  bool first = true;
  for (const auto& [key, value] : map.items()) {
    if (!first) begin_line(out, indent);
    first = false;
    const bool simple = key.size() <= k_longest_simple_key;
    if (!simple) out += "? ";
    put_text(out, key);
    if (!simple) begin_line(out, indent);
    out += ':';
    put_value(out, value, indent, simple ? indent : indent + 2);
  }
}

void put_list(std::string& out, const Json& list, std::size_t indent) {
  bool first = true;
  for (const Json& item : list) {
    if (!first) begin_line(out, indent);
    first = false;
    out += "- ";
    if (item.is_object() && !item.empty()) {
      put_map(out, item, indent + 2);
    } else if (item.is_array() && !item.empty()) {
      put_list(out, item, indent + 2);
    } else {
      put_leaf(out, item, indent + 2);
    }
  }
}

}  // namespace

std::string to_yaml(const Json& value) {
  std::string out;
  if (value.is_object() && !value.empty()) {
    put_map(out, value, 0);
  } else if (value.is_array() && !value.empty()) {
    put_list(out, value, 0);
  } else {
    put_scalar(out, value);
  }
  out += '\n';
  return out;
}

}  // namespace trainctl
