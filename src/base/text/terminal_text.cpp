// Distinguishes colours from other escape sequences, and counts columns.
#include "base/text/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace trainctl {

namespace {

constexpr std::string_view k_no_colour = "\x1b[0m";

// Removes a colour sequence (ESC [ numbers m) from the front; "" when there is none.
std::string_view take_colour(std::string_view& text) {
  if (!text.starts_with("\x1b[")) return {};
  const auto end = text.find_first_not_of("0123456789;:", 2);
  if (end == std::string_view::npos || text[end] != 'm') return {};
  const std::string_view colour = text.substr(0, end + 1);
  text.remove_prefix(colour.size());
  return colour;
}

bool ends_colour(std::string_view colour) {
  return colour == k_no_colour || colour == "\x1b[m";
}

}  // namespace

std::string terminal_safe(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  bool coloured = false;
  while (!text.empty()) {
    if (const std::string_view colour = take_colour(text); !colour.empty()) {
      coloured = !ends_colour(colour);
      safe += colour;
      continue;
    }
    const std::string_view before = text;
    const auto c = take_code_point(text);
    if (c == U'\r') {
      safe += ' ';
    } else if (c != U'\n' && c != U'\t' && (!c || is_control(*c) || bends_line(*c))) {
      safe += '?';
    } else {
      safe += before.substr(0, before.size() - text.size());
    }
  }
  if (coloured) safe += k_no_colour;
  return safe;
}

std::string terminal_safe_line(std::string_view text) {
  std::string line = terminal_safe(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// In JSON, and in YAML by to_yaml, these characters occur only inside quoted strings.
std::string terminal_safe_json(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  while (!json.empty()) {
    const std::string_view before = json;
    const auto c = take_code_point(json);
    if (c && *c != U'\n' && (is_control(*c) || bends_line(*c))) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(*c));
      safe += escape.data();
    } else {
      safe += before.substr(0, before.size() - json.size());
    }
  }
  return safe;
}

std::string without_colour(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  while (!text.empty()) {
    if (!take_colour(text).empty()) continue;
    plain += text.front();
    text.remove_prefix(1);
  }
  return plain;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t k_shown = 10;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == k_shown) {
      return cat(join(shown, ", "), ", … (", names.size(), " in all)");
    }
    shown.push_back(printable_line(name));
  }
  return join(shown, ", ");
}

std::string shortened(std::string_view text, int columns) {
  const std::string_view all = text;
  std::string_view fits;  // the part that leaves a column for the ellipsis
  int width = 0;
  bool coloured = false;
  while (!text.empty()) {
    if (const std::string_view colour = take_colour(text); !colour.empty()) {
      if (width < columns) coloured = !ends_colour(colour);
      continue;
    }
    const auto c = take_code_point(text);
    width += c ? width_of(*c) : 1;
    if (width < columns) fits = all.substr(0, all.size() - text.size());
    if (width > columns) {
      return std::string(fits) + "\u2026" + std::string(coloured ? k_no_colour : "");
    }
  }
  return std::string(all);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t column = indent;
  for (const auto& word : split(text, ' ')) {
    const auto length = static_cast<std::size_t>(display_width(word));
    if (column > indent && column + 1 + length > width) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += length;
  }
  return lines;
}

}  // namespace trainctl
