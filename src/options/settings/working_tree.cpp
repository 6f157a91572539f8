// Checks owner, type and real path of the opened file; only the content read from it is used from
// then on.
#include "options/settings/working_tree.h"

#include <algorithm>

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl::options {
namespace {

constexpr const char* k_file_name = ".trainctl.yaml";
constexpr const char* k_own_place =
    "type the flag, or set it in your own file (trainctl config set); --no-tree-config ignores "
    "this file";

std::string noticed(const Setting& setting) {
  constexpr int k_columns = 60;
  const std::string value = printable_line(join(setting.values, ","));
  if (setting.facts.row.tree != Tree::freely || value == "true") return setting.spelled();
  return cat(setting.spelled(), '=', shortened(value, k_columns));
}

bool below(const std::string& path, const std::string& directory) {
  return path == directory || path.starts_with(directory + (directory == "/" ? "" : "/"));
}

std::string real_path(PinnedFiles& files, const std::string& path) {
  const auto facts = files.facts(path);
  return facts ? facts->real_path : path;
}

bool holds_own_repository(PinnedFiles& files, const std::string& directory) {
  const auto facts = files.facts(resolve_path(directory, ".git"));
  return facts && facts->is_ours;
}

// The directories that may hold the working tree's file, innermost first.
std::vector<std::string> tree_directories(PinnedFiles& files, const Environment& environment,
                                          const std::string& working_directory) {
  const std::string start = real_path(files, working_directory);
  if (!start.starts_with('/')) return {};
  std::vector<std::string> directories;
  for (std::string at = start;; at = directory_of(at)) {
    directories.push_back(at);
    if (holds_own_repository(files, at)) return directories;
    if (at == "/") break;
  }
  const std::string home = real_path(files, environment.text("HOME"));
  const bool in_home = home.size() > 1 && below(start, home);
  std::erase_if(directories, [&](const std::string& directory) {
    return in_home ? !below(directory, home) : directory != start;
  });
  return directories;
}

// Returns why the content of a file cannot be attributed to this user; "" = it can.
std::string strange(const FileFacts& facts, const std::string& directory) {
  if (!below(facts.real_path, directory)) return "a symbolic link leads out of the working tree";
  if (!facts.is_regular) return "it is not a regular file";
  if (!facts.is_ours) return "it belongs to another user";
  if (facts.size > k_largest_tree_file) return "it is larger than 1 MiB";
  return "";
}

// The owner of a directory on the way from the working tree to a file chooses the file.
std::string strange_way(Files& files, const std::string& real_path, const std::string& directory) {
  for (std::string at = directory_of(real_path); at.size() > directory.size();
       at = directory_of(at)) {
    const auto facts = files.facts(at);
    if (!facts || !facts->is_ours) return cat("the directory ", at, " belongs to another user");
  }
  return "";
}

std::string strange(PinnedFiles& files, const std::string& path, const OpenedFile& file) {
  const std::string directory = directory_of(path);
  const auto place = files.facts(directory);
  if (!place || !place->is_ours) return "its directory belongs to another user";
  return strange(file.facts, directory);
}

// An unknown word is refused later, when the flag is parsed; until then the file is not read.
TreeConfig parse_tree_config(const std::string& word) {
  return value_of(k_tree_configs, word).value_or(TreeConfig::off);
}

bool leads_away(const std::string& path) {
  return path.starts_with('~') || cat('/', path, '/').find("/../") != std::string::npos;
}

Error bad(const Setting& setting, std::string_view why, std::string hint = k_own_place) {
  return {Code::usage, cat(setting.origin, ": ", setting.spelled(), why), std::move(hint)};
}

std::string_view reason(const OptionRow& row) {
  if (row.place != Place::none) {
    return "a repository may not set where to connect, or as whom";
  }
  if (row.type == Type::path) return "it names a file of yours";
  return "a repository may not set what you see, or how safely a command works";
}

}  // namespace

TreeConfig tree_config(const std::string& typed, const std::vector<Setting>& settings) {
  if (!typed.empty()) return parse_tree_config(typed);
  const auto said = std::ranges::find_if(settings, [](const Setting& setting) {
    const bool is_meant = setting.key == "tree-config" || setting.key == "no-tree-config";
    return is_meant && setting.source != Source::working_tree && !setting.values.empty();
  });
  if (said == settings.end()) return TreeConfig::on;
  const std::string& value = said->values.front();
  if (said->key == "tree-config") return parse_tree_config(value);
  return value == "false" ? TreeConfig::on : TreeConfig::off;
}

TreeFile find_tree_file(PinnedFiles& files, const Environment& environment,
                        const std::string& working_directory) {
  const auto directories = tree_directories(files, environment, working_directory);
  for (const std::string& directory : directories) {
    const std::string path = resolve_path(directory, k_file_name);
    if (const OpenedFile* file = files.pin(path)) return {path, strange(files, path, *file), true};
  }
  return {directories.empty() ? "" : resolve_path(directories.front(), k_file_name), "", false};
}

Status check_tree_says(const Setting& setting) {
  const OptionRow& row = setting.facts.row;
  if (!setting.facts.tree_is_heard) {
    return bad(setting, cat(" is not read from a working tree: a repository may not set what ",
                            setting.section, " does"));
  }
  if (row.tree == Tree::never) {
    return bad(setting, cat(" is not read from a working tree: ", reason(row)));
  }
  const auto nameless = [](const std::string& v) { return v.find('=') == std::string::npos; };
  if (row.tree == Tree::with_value && std::ranges::any_of(setting.values, nameless)) {
    return bad(setting, " would pass on one of your variables",
               "write NAME=VALUE, or type the flag");
  }
  if (row.type == Type::path && std::ranges::any_of(setting.values, leads_away)) {
    return bad(setting, " leads out of the working tree");
  }
  return {};
}

Status keep_in_tree(PinnedFiles& files, const TreeFile& tree, Setting& setting) {
  if (setting.facts.row.type != Type::path) return {};
  for (std::string& path : setting.values) {
    const OpenedFile* file = files.pin(path);
    if (file == nullptr && !below(path, directory_of(tree.path))) {
      return bad(setting, " leads out of the working tree");
    }
    if (file == nullptr) continue;  // its reader reports that it is missing
    const FileFacts& facts = file->facts;
    std::string why = strange(facts, directory_of(tree.path));
    if (why.empty()) why = strange_way(files, facts.real_path, directory_of(tree.path));
    if (!why.empty()) return bad(setting, cat(": ", path, " is not read: ", why));
    path = facts.real_path;
  }
  return {};
}

std::string set_by_tree(const std::vector<Setting>& defaults) {
  std::vector<std::string> keys;
  for (const Setting& setting : defaults) {
    if (setting.source == Source::working_tree) keys.push_back(noticed(setting));
  }
  return join(keys, ", ");
}

}  // namespace trainctl::options
