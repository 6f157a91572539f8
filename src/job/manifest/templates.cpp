// Template look-up: the first place that has the kind's file wins.
#include "job/manifest/templates.h"

#include "base/embedded.h"
#include "base/text.h"

namespace trainctl::job {

std::string template_file_name(const Kind& kind) {
  return lower(kind.resource.kind) + ".yaml";
}

std::vector<std::string> template_directories(const Environment& env) {
  std::vector<std::string> directories;
  std::string config = env.text("XDG_CONFIG_HOME");
  const std::string home = env.text("HOME");
  if (config.empty() && !home.empty()) config = home + "/.config";
  if (!config.empty()) directories.push_back(config + "/trainctl/templates");
  directories.emplace_back("/etc/trainctl/templates");
  return directories;
}

std::string_view embedded_template(const Kind& kind) {
  const std::string wanted = template_file_name(kind);
  for (const EmbeddedFile& file : templates::embedded_files()) {
    if (file.name == wanted) return file.content;
  }
  return "";
}

Result<Template> find_template(Files& files, const Environment& env, const Kind& kind,
                               const std::string& explicit_path) {
  std::vector<std::string> paths;
  if (!explicit_path.empty()) paths.push_back(explicit_path);
  for (const std::string& directory : template_directories(env)) {
    paths.push_back(cat(directory, '/', template_file_name(kind)));
  }
  for (const std::string& path : paths) {
    if (path != explicit_path && !files.exists(path)) continue;
    TRY_ASSIGN(std::string text, files.read(path));
    return Template{std::move(text), path};
  }
  return Template{std::string(embedded_template(kind)), "built in"};
}

}  // namespace trainctl::job
