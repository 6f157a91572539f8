// Looks up templates: the first place that has the kind's file wins.
#include "job/manifest/templates.h"

#include <algorithm>

#include "base/embedded.h"
#include "base/text/text.h"
#include "base/user_directories.h"
#include "base/value/yaml.h"

namespace trainctl::job {

namespace {

std::string short_file_name(const Kind& kind) {
  return cat(kind.alias, ".yaml");
}

// The kind's template in a directory; "" = it has none.
Result<std::string> template_in(Files& files, const std::string& directory, const Kind& kind) {
  const std::string full = cat(directory, '/', template_file_name(kind));
  const std::string brief = cat(directory, '/', short_file_name(kind));
  const bool has_brief = files.exists(brief);
  if (!files.exists(full)) return has_brief ? brief : std::string();
  if (!has_brief) return full;
  return Error{Code::usage,
               cat(full, " and ", short_file_name(kind), " beside it are both templates of a ",
                   kind.resource.kind),
               "keep one of them"};
}

}  // namespace

std::string template_file_name(const Kind& kind) {
  return lower(kind.resource.kind) + ".yaml";
}

std::vector<std::string> template_directories(const Environment& env) {
  std::vector<std::string> directories;
  const std::string config = config_directory(env);
  if (!config.empty()) directories.push_back(config + "/templates");
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
  std::string path = explicit_path;
  for (const std::string& directory : template_directories(env)) {
    if (!path.empty()) break;
    TRY_ASSIGN(path, template_in(files, directory, kind));
  }
  if (path.empty()) return Template{std::string(embedded_template(kind)), "built in"};
  TRY_ASSIGN(std::string text, files.read(path));
  return Template{std::move(text), path};
}

Result<Json> read_template(const Template& found, const Kind& kind) {
  TRY_ASSIGN(Json manifest, from_yaml(found.text, found.origin));
  if (kind_of(manifest) == &kind) return manifest;
  return Error{Code::usage, cat(found.origin, " is not a template for ", kind.resource.kind),
               cat("trainctl template show ", kind.alias, " prints one")};
}

std::vector<std::string> stray_templates(Files& files, const Environment& env) {
  std::vector<std::string> strays;
  for (const std::string& directory : template_directories(env)) {
    for (const std::string& name : files.list(directory)) {
      const bool manifest = name.ends_with(".yaml") || name.ends_with(".yml");
      const bool read =
          std::any_of(operator_kinds().begin(), operator_kinds().end(), [&name](const Kind& kind) {
            return name == template_file_name(kind) || name == short_file_name(kind);
          });
      if (manifest && !read) strays.push_back(cat(directory, '/', name));
    }
  }
  return strays;
}

}  // namespace trainctl::job
