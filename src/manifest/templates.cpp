// Looks up templates: the first place that has the kind's file wins.
#include "manifest/templates.h"

#include <algorithm>
#include <string>

#include "base/embedded.h"
#include "base/environment.h"
#include "base/text/text.h"
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

namespace {

// No value of these holds a `$` or `{`.
constexpr std::string_view k_plain_fields[] = {"name", "namespace", "image",         "replicas",
                                               "cpu",  "memory",    "nvidia.com/gpu"};

// The first placeholder; "" = there is none.
std::string placeholder_in(const Json& value) {
  if (!value.is_structured()) return "";
  for (const auto& [key, field] : value.items()) {
    const bool is_plain =
        field.is_string() && std::ranges::find(k_plain_fields, key) != std::end(k_plain_fields);
    std::string text = is_plain ? field.get<std::string>() : placeholder_in(field);
    const bool is_found = !is_plain || text.find('$') != text.npos || text.find("{{") != text.npos;
    if (is_found && !text.empty()) return text;
  }
  return "";
}

}  // namespace

Status check_no_template(std::string_view text, std::string_view file, const Json& job) {
  const std::string value = job.is_null() ? "{{" : placeholder_in(job);
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    const std::size_t at = value.empty() ? line.npos : line.find(value);
    const std::string_view before = trim(std::string_view(line).substr(0, at));
    const bool is_whole_value = before.empty() || before.ends_with(':');
    if (at == line.npos || (job.is_null() && !is_whole_value)) continue;
    const std::string shown = job.is_null() ? line.substr(at) : value;
    return Error{
        Code::usage,
        cat(file, ':', number, ": `", printable_line(shown), "` is a placeholder of a template"),
        "render the file first, as in envsubst < FILE | trainctl submit -"};
  }
  return {};
}

}  // namespace trainctl::job
