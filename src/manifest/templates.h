// Finds a kind's manifest template: the user's, the site's or the built-in one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/result.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"

namespace trainctl::job {

struct Template {
  std::string text;
  std::string origin;  // the file's path, or "built in"
};

// Finds the kind's template: `explicit_path` (--template), else
// $XDG_CONFIG_HOME/trainctl/templates/KIND.yaml, else /etc/trainctl/templates/KIND.yaml, else the
// built-in one. KIND is the lower-case kind ("pytorchjob.yaml") or its short name ("pytorch.yaml");
// Code::usage where one directory has both.
Result<Template> find_template(Files& files, const Environment& env, const Kind& kind,
                               const std::string& explicit_path = "");

// The manifest in a template; Code::usage when it is not of this kind.
Result<Json> read_template(const Template& found, const Kind& kind);

// Files in those directories that no kind reads, because of their names.
std::vector<std::string> stray_templates(Files& files, const Environment& env);

// The directories that are searched, and the built-in template.
std::vector<std::string> template_directories(const Environment& env);
std::string template_file_name(const Kind& kind);
std::string_view embedded_template(const Kind& kind);

// Refuses a file with {{ … }}, ${NAME} or $NAME in a name, image, count or amount of its job, or in
// place of any value where it is not YAML (`job` is then null). A program's words may hold them.
Status check_no_template(std::string_view text, std::string_view file, const Json& job);

}  // namespace trainctl::job
