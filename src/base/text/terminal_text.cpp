// Distinguishes colours from other escape sequences, and counts columns.
#include "base/text/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <utility>

#include "base/text/text.h"
#include "base/text/utf8.h"

namespace trainctl {
namespace {

constexpr std::string_view k_no_colour = "\x1b[0m";
constexpr std::string_view k_inverse = "\x1b[7m";
constexpr std::string_view k_not_inverse = "\x1b[27m";

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

std::string_view last_shown(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const auto begin = line.rfind('\r');
  return begin == std::string_view::npos ? line : line.substr(begin + 1);
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

std::string_view take_sequence(std::string_view& text) {
  if (!text.starts_with('\x1b')) return {};
  std::size_t end = std::min<std::size_t>(2, text.size());
  if (text.starts_with("\x1b[")) {
    end = text.find_first_not_of("0123456789;:<=>? !\"#$%&'()*+,-./", 2);
    end = end == std::string_view::npos ? text.size() : end + 1;
  } else if (text.starts_with("\x1b]")) {
    end = text.find_first_of("\a\x1b", 2);
    end = end == std::string_view::npos ? text.size() : end + (text[end] == '\a' ? 1 : 0);
  }
  const std::string_view sequence = text.substr(0, end);
  text.remove_prefix(end);
  return sequence;
}

namespace {

bool moves_rows(std::string_view sequence) {
  return sequence.starts_with("\x1b[") && (sequence.ends_with('A') || sequence.ends_with('B'));
}

}  // namespace

void for_each_state(std::string_view line, std::size_t most,
                    const std::function<void(std::string_view state)>& sink) {
  const auto has = [line](char c) { return line.find(c) != std::string_view::npos; };
  if (!has('\r') && !has('\x1b') && !has('\b')) return sink(line);
  std::vector<std::string> states(1);
  while (!line.empty()) {
    const std::string_view sequence = take_sequence(line);
    const bool is_return = sequence.empty() && line.front() == '\r';
    if (is_return || moves_rows(sequence)) {
      if (!trim(states.back()).empty()) states.emplace_back();
      states.back().clear();
    } else if (sequence.empty() && line.front() != '\b') {
      states.back() += line.front();
    }
    if (sequence.empty()) line.remove_prefix(1);
  }
  if (states.size() > 1 && trim(states.back()).empty()) states.pop_back();
  const std::size_t stride = states.size() / most + 1;
  for (std::size_t at = (states.size() + stride - 1) % stride; at < states.size(); at += stride) {
    sink(states[at]);
  }
}

std::string inverted(std::string_view text, const std::vector<bool>& marked) {
  std::string shown;
  bool is_inverse = false;
  for (auto mark = marked.begin(); !text.empty();) {
    if (const std::string_view colour = take_colour(text); !colour.empty()) {
      shown += colour;
      if (is_inverse) shown += k_inverse;  // the colour may have ended it
      continue;
    }
    if (*mark != is_inverse) shown += *mark ? k_inverse : k_not_inverse;
    is_inverse = *mark;
    shown += text.front();
    text.remove_prefix(1);
    ++mark;
  }
  if (is_inverse) shown += k_not_inverse;
  return shown;
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

std::string shortened_middle(std::string_view text, int columns) {
  if (display_width(text) <= columns) return std::string(text);
  const std::string front = shortened(text, columns / 2 + 1);
  const int left = std::max(columns - display_width(front), 0);
  while (display_width(text) > left) take_code_point(text);
  return front + std::string(text);
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

// Handles GitHub's commands in both spellings (actions/runner: ActionCommand), Azure's
// (azure-pipelines-agent: Command), and GitLab's marks of sections (gitlab:
// build_trace_section_regex).
namespace {

using Marks = std::span<const std::string_view>;

constexpr std::array<std::string_view, 2> k_azure_marks = {"##vso[", "##["};
constexpr std::array<std::string_view, 1> k_github_marks = {"##["};
constexpr std::array<std::string_view, 2> k_section_marks = {"section_start:", "section_end:"};

// The marks that the system obeys wherever they stand in a line.
Marks marks_of(CiSystem system) {
  switch (system) {
    case CiSystem::none:
      return {};
    case CiSystem::plain:
    case CiSystem::azure:
      return k_azure_marks;
    case CiSystem::github:
      return k_github_marks;
    case CiSystem::gitlab:
      return k_section_marks;
  }
  return {};
}

// The runner trims Unicode white space, so every character that is no ASCII letter or sign counts
// as such here.
bool may_be_trimmed(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte >= 0x7f;
}

// The runner ends a line at '\r' as well as at '\n'.
std::size_t line_end(std::string_view text) {
  const std::size_t end = text.find_first_of("\r\n");
  return end == std::string_view::npos ? text.size() : end + 1;
}

// Replaces the last character of each such mark by `last`.
std::string torn(std::string text, std::string_view mark, std::string_view last) {
  std::size_t at = text.find(mark);
  if (at == std::string::npos) return text;
  std::string out;
  std::string_view rest = text;
  for (; at != std::string_view::npos; at = rest.find(mark)) {
    const std::size_t end = at + mark.size();
    out += rest.substr(0, end - 1);
    out += last;
    rest.remove_prefix(end);
  }
  out += rest;
  return out;
}

void append_with_colons_torn(std::string& out, std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && may_be_trimmed(line[at])) ++at;
  out += line.substr(0, at);
  line.remove_prefix(at);
  if (line.starts_with("::")) {
    out += ": ";
    line.remove_prefix(1);
  }
  out += line;
}

std::string with_colons_torn(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = line_end(text);
    append_with_colons_torn(out, text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// True when the piece begins with the end of a mark that may have begun in the previous piece.
bool ends_mark(std::string_view piece, std::string_view mark) {
  for (std::size_t at = 1; at < mark.size(); ++at) {
    if (piece.starts_with(mark.substr(at))) return true;
  }
  return false;
}

bool ends_a_mark(CiSystem system, std::string_view piece) {
  if (system == CiSystem::github && piece.starts_with(':')) return true;
  return std::ranges::any_of(marks_of(system),
                             [piece](std::string_view mark) { return ends_mark(piece, mark); });
}

}  // namespace

std::string without_ci_commands(CiSystem system, std::string_view text) {
  std::string safe = system == CiSystem::github ? with_colons_torn(text) : std::string(text);
  for (const std::string_view mark : marks_of(system)) {
    safe = torn(std::move(safe), mark, cat(' ', mark.back()));
  }
  return safe;
}

std::string continued_without_ci_commands(CiSystem system, std::string_view piece) {
  return (ends_a_mark(system, piece) ? " " : "") + without_ci_commands(system, piece);
}

std::string json_without_ci_commands(CiSystem system, std::string json) {
  // GitLab's marks end with a carriage return, which no JSON holds.
  if (system == CiSystem::gitlab) return json;
  // In JSON, and in YAML by to_yaml, '#' occurs only inside quoted strings.
  for (const std::string_view mark : marks_of(system)) {
    json = torn(std::move(json), mark, "\\u005b");
  }
  return json;
}

}  // namespace trainctl
