// Matches names without recursion, so that no pattern takes longer than its length times the
// name's.
#include "work/code/ignore.h"

#include <optional>
#include <span>

#include "base/text/text.h"

namespace trainctl::work {
namespace {

using Steps = std::span<const std::string>;

// A set such as [a-z] or [!0-9] that begins at `at`: whether it holds `c`, and where it ends;
// nullopt when it has no end.
struct SetMatch {
  bool holds;
  std::size_t end;
};
std::optional<SetMatch> match_set(std::string_view pattern, std::size_t at, char c) {
  std::size_t next = at + 1;
  const bool inverted = next < pattern.size() && (pattern[next] == '!' || pattern[next] == '^');
  if (inverted) ++next;
  bool holds = false;
  for (const std::size_t first = next; next < pattern.size(); ++next) {
    if (pattern[next] == ']' && next > first) return SetMatch{holds != inverted, next + 1};
    const bool is_range =
        next + 2 < pattern.size() && pattern[next + 1] == '-' && pattern[next + 2] != ']';
    const char low = pattern[next];
    if (is_range) next += 2;
    if (low <= c && c <= pattern[next]) holds = true;
  }
  return std::nullopt;
}

// Returns where the pattern continues after matching `c` at `at`; 0 = no match.
std::size_t match_one(std::string_view pattern, std::size_t at, char c) {
  if (at >= pattern.size()) return 0;
  if (pattern[at] == '?') return at + 1;
  if (pattern[at] == '[') {
    if (const auto set = match_set(pattern, at, c)) return set->holds ? set->end : 0;
  }
  const bool is_escape = pattern[at] == '\\' && at + 1 < pattern.size();
  const std::size_t literal = is_escape ? at + 1 : at;
  return pattern[literal] == c ? literal + 1 : 0;
}

bool matches_name(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_name = 0;
  std::size_t star = std::string_view::npos;  // behind the last `*`
  std::size_t retry = 0;                      // where the name continues if that takes one more
  while (in_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      retry = in_name;
    } else if (const std::size_t next = match_one(pattern, at, name[in_name])) {
      at = next;
      ++in_name;
    } else if (star != std::string_view::npos) {
      at = star;
      in_name = ++retry;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

// The same again, with directories for characters.
bool matches_path(Steps pattern, Steps path) {
  std::size_t at = 0;
  std::size_t in_path = 0;
  std::size_t star = pattern.size() + 1;
  std::size_t retry = 0;
  while (in_path < path.size()) {
    if (at < pattern.size() && pattern[at] == "**") {
      star = ++at;
      retry = in_path;
      // Behind the last directory, `**` stands for what lies in it, not for the directory itself.
      if (at == pattern.size()) return true;
    } else if (at < pattern.size() && matches_name(pattern[at], path[in_path])) {
      ++at;
      ++in_path;
    } else if (star <= pattern.size()) {
      at = star;
      in_path = ++retry;
    } else {
      return false;
    }
  }
  return at == pattern.size();
}

// Without the blanks at the end, unless a backslash keeps them.
std::string_view without_end(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

}  // namespace

constexpr std::string_view k_usually_ignored =
    ".git\n.hg/\n.svn/\n__pycache__/\n*.pyc\n*.pyo\n.venv/\nvenv/\n.tox/\n.nox/\nnode_modules/\n"
    "*.egg-info/\n.eggs/\n.mypy_cache/\n.pytest_cache/\n.ruff_cache/\n.ipynb_checkpoints/\n"
    ".DS_Store\n.idea/\n.vscode/\n*.swp\n";

void IgnoreRules::add(std::string_view text) {
  for (const std::string& whole : split(text, '\n')) {
    std::string_view line = without_end(whole);
    if (line.empty() || line.starts_with('#')) continue;
    Rule rule;
    rule.takes_in = line.starts_with('!');
    if (rule.takes_in) line.remove_prefix(1);
    rule.directories_only = line.ends_with('/');
    if (rule.directories_only) line.remove_suffix(1);
    const bool is_tied = line.find('/') != std::string_view::npos;
    if (line.starts_with('/')) line.remove_prefix(1);
    if (line.empty()) continue;
    rule.steps = split(line, '/');
    if (!is_tied) rule.steps.insert(rule.steps.begin(), "**");
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::leaves_out(std::string_view path, bool is_directory) const {
  const std::vector<std::string> steps = split(path, '/');
  std::vector<std::string> above;
  for (const std::string& step : steps) {
    above.push_back(step);
    if (match(above, above.size() < steps.size() || is_directory)) return true;
  }
  return false;
}

bool IgnoreRules::leaves_out_itself(std::string_view path, bool is_directory) const {
  return match(split(path, '/'), is_directory);
}

bool IgnoreRules::match(const std::vector<std::string>& steps, bool is_directory) const {
  bool out = false;
  for (const Rule& rule : rules_) {
    if (rule.takes_in != out) continue;  // it would change nothing
    if (rule.directories_only && !is_directory) continue;
    if (matches_path(rule.steps, steps)) out = !rule.takes_in;
  }
  return out;
}

}  // namespace trainctl::work
