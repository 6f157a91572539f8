// Finds the lines of a key in block-style YAML. Every change is verified by reading the result
// back.
#include "base/value/config_text.h"

#include <algorithm>
#include <optional>

#include "base/text/text.h"
#include "base/value/yaml.h"

namespace trainctl {
namespace {

using Lines = std::vector<std::string>;

// The lines [begin, end) of a key and its value.
struct Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t indent = 0;
};

bool is_empty(const std::string& line) {
  const std::string_view text = trim(line);
  return text.empty() || text.front() == '#';
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool has_key(const std::string& line, const std::string& key) {
  const std::string_view text = trim(line);
  for (const std::string& spelled : {key, cat('"', key, '"'), cat('\'', key, '\'')}) {
    if (!text.starts_with(spelled)) continue;
    const std::string_view rest = trim(text.substr(spelled.size()));
    if (rest == ":" || rest.starts_with(": ")) return true;
  }
  return false;
}

// Includes lines indented below the key, and a list, which YAML allows at the key's own column.
std::size_t end_of_value(const Lines& lines, std::size_t key_line, std::size_t limit) {
  const std::size_t indent = indent_of(lines[key_line]);
  std::size_t end = key_line + 1;
  for (std::size_t at = end; at < limit; ++at) {
    if (is_empty(lines[at])) continue;
    const bool item = indent_of(lines[at]) == indent && trim(lines[at]).starts_with("-");
    if (indent_of(lines[at]) <= indent && !item) break;
    end = at + 1;
  }
  return end;
}

std::optional<Block> find_in(const Lines& lines, std::size_t from, std::size_t to,
                             std::optional<std::size_t> indent, const std::string& key) {
  for (std::size_t at = from; at < to; ++at) {
    if (is_empty(lines[at])) continue;
    if (!indent) indent = indent_of(lines[at]);
    if (indent_of(lines[at]) != *indent || !has_key(lines[at], key)) continue;
    return Block{at, end_of_value(lines, at, to), *indent};
  }
  return std::nullopt;
}

std::optional<Block> find_block(const Lines& lines, const std::string& section,
                                const std::string& key) {
  if (section.empty()) return find_in(lines, 0, lines.size(), 0, key);
  const auto outer = find_in(lines, 0, lines.size(), 0, section);
  if (!outer) return std::nullopt;
  return find_in(lines, outer->begin + 1, outer->end, std::nullopt, key);
}

Lines lines_of(std::string_view text) {
  Lines lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::string text_of(const Lines& lines) {
  return lines.empty() ? "" : join(lines, "\n") + '\n';
}

// A comment behind a key or a value, with the blanks before it; "" = none.
std::string comment_behind(const std::string& line) {
  constexpr std::string_view k_before_quote = " [{,:-";
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const char before = at == 0 ? ' ' : line[at - 1];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++at;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') && k_before_quote.find(before) != std::string_view::npos) {
      quote = c;
    } else if (c == '#' && before == ' ') {
      return at == 0 ? line : line.substr(line.find_last_not_of(' ', at - 1) + 1);
    }
  }
  return "";
}

Lines entry_lines(const std::string& key, const Json& value, std::size_t indent) {
  Lines lines = lines_of(to_yaml(Json{{key, value}}));
  for (std::string& line : lines) line.insert(0, indent, ' ');
  return lines;
}

// Replaces a value; false when a comment inside the old value would be lost.
bool replace(Lines& lines, const Block& block, Lines entry) {
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(block.begin);
  const auto end = lines.begin() + static_cast<std::ptrdiff_t>(block.end);
  if (!entry.empty()) {
    const auto has_comment = [](const std::string& line) { return !comment_behind(line).empty(); };
    if (std::any_of(begin + 1, end, has_comment)) return false;
    entry.front() += comment_behind(*begin);
  }
  const auto next = lines.erase(begin, end);
  lines.insert(next, entry.begin(), entry.end());
  return true;
}

void add(Lines& lines, const std::string& section, const std::string& key, const Json& value) {
  constexpr std::size_t k_indent = 2;
  if (section.empty()) {
    const Lines entry = entry_lines(key, value, 0);
    lines.insert(lines.end(), entry.begin(), entry.end());
    return;
  }
  auto outer = find_in(lines, 0, lines.size(), 0, section);
  if (!outer) {
    lines.push_back(section + ":");
    outer = Block{lines.size() - 1, lines.size(), 0};
  }
  std::size_t indent = k_indent;
  for (std::size_t at = outer->begin + 1; at < outer->end; ++at) {
    if (is_empty(lines[at])) continue;
    indent = indent_of(lines[at]);
    break;
  }
  const Lines entry = entry_lines(key, value, indent);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(outer->end), entry.begin(), entry.end());
}

Json changed(Json config, const std::string& section, const std::string& key, const Json& value) {
  Json& holder = section.empty() ? config : config[section];
  if (holder.is_null()) holder = Json::object();
  if (value.is_null()) {
    holder.erase(key);
    if (!section.empty() && holder.empty()) config.erase(section);
  } else {
    holder[key] = value;
  }
  return config;
}

// The order of keys does not matter, and a section without keys counts as absent.
bool same_settings(const Json& one, const Json& other) {
  return nlohmann::json::parse(dump(one)) == nlohmann::json::parse(dump(other));
}

}  // namespace

Result<Json> parse_config(std::string_view text, const std::string& path) {
  TRY_ASSIGN(auto documents, from_yaml_stream(text, path));
  if (documents.empty()) return Json::object();
  if (documents.size() > 1) return Error{Code::usage, path + ": more than one YAML document", ""};
  if (documents.front().is_object()) return std::move(documents.front());
  return Error{Code::usage, path + ": not a configuration, which is a mapping of keys to values",
               "write it as `namespace: team`"};
}

int config_line(std::string_view text, const std::vector<std::string>& path) {
  const Lines lines = lines_of(text);
  Block outer{0, lines.size(), 0};
  std::optional<std::size_t> indent = 0;
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    const std::size_t from = depth == 0 ? 0 : outer.begin + 1;
    const auto block = find_in(lines, from, outer.end, indent, path[depth]);
    if (!block) return 0;
    outer = *block;
    indent.reset();
  }
  return static_cast<int>(outer.begin) + 1;
}

Result<std::string> with_config_key(const std::string& text, const std::string& path,
                                    const std::string& section, const std::string& key,
                                    const Json& value) {
  TRY_ASSIGN(const Json config, parse_config(text, path));
  const Json* const holder = section.empty() ? nullptr : find(config, '/' + pointer_step(section));
  if (holder != nullptr && !holder->is_object() && !holder->is_null()) {
    return Error{Code::usage, cat(path, ": ", section, " is not a mapping of keys to values"),
                 "edit the file by hand"};
  }
  const Json wanted = changed(config, section, key, value);
  const Error lossy{Code::usage,
                    cat("cannot change ", key, " in ", path, " without losing its comments"),
                    "edit the file by hand"};
  Lines lines = lines_of(text);
  if (const auto block = find_block(lines, section, key)) {
    const Lines entry = value.is_null() ? Lines{} : entry_lines(key, value, block->indent);
    if (!replace(lines, *block, entry)) return lossy;
  } else if (!value.is_null()) {
    add(lines, section, key, value);
  }
  if (value.is_null() && !section.empty() && !wanted.contains(section)) {
    const auto outer = find_in(lines, 0, lines.size(), 0, section);
    if (outer && outer->end == outer->begin + 1) replace(lines, *outer, {});
  }
  const std::string edited = text_of(lines);
  const auto read_back = parse_config(edited, path);
  if (read_back && same_settings(*read_back, wanted)) return edited;
  if (text.find('#') == std::string::npos) return wanted.empty() ? "" : to_yaml(wanted);
  return lossy;
}

}  // namespace trainctl
