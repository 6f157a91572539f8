// Where configuration files are looked for.
#include "cli/config/settings.h"

namespace trainctl::cli {
namespace {

bool below(const std::string& path, const std::string& directory) {
  return path == directory || path.starts_with(directory + (directory == "/" ? "" : "/"));
}

// The directories that may hold the working tree's file, innermost first.
std::vector<std::string> tree_directories(const Context& context) {
  const std::string start = context.working_directory();
  if (!start.starts_with('/')) return {};
  std::vector<std::string> directories;
  for (std::string at = start;; at = directory_of(at)) {
    directories.push_back(at);
    if (context.files.exists(resolve_path(at, ".git"))) return directories;
    if (at == "/") break;
  }
  const std::string home = context.environment.text("HOME");
  const bool in_home = home.size() > 1 && below(start, home);
  std::erase_if(directories, [&](const std::string& directory) {
    return in_home ? !below(directory, home) : directory != start;
  });
  return directories;
}

std::string tree_file(const Context& context) {
  constexpr const char* k_name = ".trainctl.yaml";
  const auto directories = tree_directories(context);
  for (const std::string& directory : directories) {
    const std::string path = resolve_path(directory, k_name);
    if (context.files.exists(path)) return path;
  }
  return directories.empty() ? "" : resolve_path(directories.front(), k_name);
}

}  // namespace

std::vector<SettingsFile> settings_files(const Context& context) {
  std::vector<SettingsFile> files = {{Source::working_tree, tree_file(context)}};
  std::string config = context.environment.text("XDG_CONFIG_HOME");
  const std::string home = context.environment.text("HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  files.push_back({Source::user, config.empty() ? "" : config + "/trainctl/config.yaml"});
  files.push_back({Source::site, "/etc/trainctl/config.yaml"});
  return files;
}

}  // namespace trainctl::cli
