// Checks owner, type and real path of the opened file; only the content read from it is used from
// then on.
#include "options/settings/working_tree.h"

#include "base/text/terminal_text.h"
#include "base/text/text.h"

namespace trainctl::options {
namespace {

constexpr const char* k_file_name = ".trainctl.yaml";
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
  if (!below(facts.real_path, directory)) return "its real path is outside of the working tree";
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

Error bad(const Setting& setting, std::string_view why) {
  return {Code::usage, cat(setting.origin, ": ", setting.spelled(), why),
          "name a file of the working tree, or set this in your own file (trainctl config set)"};
}

}  // namespace

TreeFile find_tree_file(PinnedFiles& files, const Environment& environment,
                        const std::string& working_directory) {
  const auto directories = tree_directories(files, environment, working_directory);
  for (const std::string& directory : directories) {
    const std::string path = resolve_path(directory, k_file_name);
    if (const OpenedFile* file = files.pin(path)) return {path, strange(files, path, *file), true};
  }
  return {directories.empty() ? "" : resolve_path(directories.front(), k_file_name), "", false};
}

Status keep_in_tree(PinnedFiles& files, const TreeFile& tree, Setting& setting) {
  if (setting.facts.row.type != Type::path) return {};
  for (std::string& path : setting.values) {
    const OpenedFile* file = files.pin(path);
    if (file == nullptr) return bad(setting, cat(": there is no file ", path));
    const FileFacts& facts = file->facts;
    const std::string directory = directory_of(tree.path);
    std::string why = strange(facts, directory);
    if (why.empty()) why = strange_way(files, facts.real_path, directory);
    if (!why.empty()) return bad(setting, cat(": ", path, " is not read: ", why));
    path = facts.real_path;
  }
  return {};
}

}  // namespace trainctl::options
