// Handles GitHub's commands in both spellings (actions/runner: ActionCommand), and GitLab's marks
// of sections (gitlab: build_trace_section_regex).
#include "base/text/workflow_text.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace trainctl {

namespace {

constexpr std::string_view k_old_mark = "##[";
constexpr std::array<std::string_view, 2> k_section_marks = {"section_start:", "section_end:"};

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

// Appends the text with a blank in front of the last character of each mark.
void append_with_marks_torn(std::string& out, std::string_view text, std::string_view mark) {
  const std::size_t kept = mark.size() - 1;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
    out += text.substr(0, at + kept);
    out += ' ';
    text.remove_prefix(at + kept);
  }
  out += text;
}

void append_for_github(std::string& out, std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && may_be_trimmed(line[at])) ++at;
  out += line.substr(0, at);
  line.remove_prefix(at);
  if (line.starts_with("::")) {
    out += ": ";
    line.remove_prefix(1);
  }
  append_with_marks_torn(out, line, k_old_mark);
}

std::string for_github(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = line_end(text);
    append_for_github(out, text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string for_gitlab(std::string_view text) {
  std::string out(text);
  for (const std::string_view mark : k_section_marks) {
    std::string torn;
    append_with_marks_torn(torn, out, mark);
    out = std::move(torn);
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
  if (system == CiSystem::github) return piece.starts_with(':') || ends_mark(piece, k_old_mark);
  return system == CiSystem::gitlab &&
         std::ranges::any_of(k_section_marks,
                             [piece](std::string_view mark) { return ends_mark(piece, mark); });
}

}  // namespace

std::string without_ci_commands(CiSystem system, std::string_view text) {
  if (system == CiSystem::github) return for_github(text);
  return system == CiSystem::gitlab ? for_gitlab(text) : std::string(text);
}

std::string continued_without_ci_commands(CiSystem system, std::string_view piece) {
  return (ends_a_mark(system, piece) ? " " : "") + without_ci_commands(system, piece);
}

std::string json_without_ci_commands(CiSystem system, std::string json) {
  // GitLab's marks end with a carriage return, which no JSON holds.
  if (system != CiSystem::github) return json;
  // In JSON, and in YAML by to_yaml, '#' occurs only inside quoted strings.
  for (std::size_t at = json.find(k_old_mark); at != std::string::npos;
       at = json.find(k_old_mark, at)) {
    json.replace(at, k_old_mark.size(), "##\\u005b");
  }
  return json;
}

}  // namespace trainctl
