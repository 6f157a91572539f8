// Finds the lines of a key in block-style YAML, and writes files without comments anew.
#include "base/value/config_text.h"

#include <algorithm>
#include <optional>

#include "base/text/terminal_text.h"
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

Lines lines_of(std::string_view text) {
  Lines lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  return lines;
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

// An instruction for an editor: "write `output: wide` into its section `get`".
std::string edit_by_hand(const std::string& section, const std::string& key, const Json& value) {
  const std::string within = section.empty() ? "" : cat(" of its section `", section, "`");
  if (value.is_null()) return cat("remove the key `", key, "`", within, " by hand");
  const std::string entry(trim(to_yaml(Json{{key, value}})));
  return cat("write `", printable_line(entry), "` into ",
             section.empty() ? "it" : cat("its section `", section, "`"), " by hand");
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
  if (text.find('#') != std::string::npos) {
    return Error{Code::usage, cat(path, " has comments, which would be lost"),
                 edit_by_hand(section, key, value)};
  }
  return wanted.empty() ? "" : to_yaml(wanted);
}

}  // namespace trainctl
