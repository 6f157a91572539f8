// Handles workflow commands in both spellings (actions/runner: ActionCommand).
#include "base/workflow_text.h"

#include "base/text.h"

namespace trainctl {

namespace {

constexpr std::string_view k_old_mark = "##[";

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

void append_safe(std::string& out, std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && may_be_trimmed(line[at])) ++at;
  out += line.substr(0, at);
  line.remove_prefix(at);
  if (line.starts_with("::")) {
    out += ": ";
    line.remove_prefix(1);
  }
  for (std::size_t mark = line.find(k_old_mark); mark != std::string_view::npos;
       mark = line.find(k_old_mark)) {
    out += line.substr(0, mark);
    out += "## [";
    line.remove_prefix(mark + k_old_mark.size());
  }
  out += line;
}

}  // namespace

std::string without_workflow_commands(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = line_end(text);
    append_safe(out, text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

std::string continued_without_workflow_commands(std::string_view piece) {
  const bool ends_a_mark =
      piece.starts_with("[") || piece.starts_with("#[") || piece.starts_with(":");
  return (ends_a_mark ? " " : "") + without_workflow_commands(piece);
}

std::string json_without_workflow_commands(std::string json) {
  // In JSON, and in YAML by to_yaml, '#' occurs only inside quoted strings.
  for (std::size_t at = json.find(k_old_mark); at != std::string::npos;
       at = json.find(k_old_mark, at)) {
    json.replace(at, k_old_mark.size(), "##\\u005b");
  }
  return json;
}

}  // namespace trainctl
