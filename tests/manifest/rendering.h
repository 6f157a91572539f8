// Renders from the built-in templates as a command line would, for tests.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "base/value/yaml.h"
#include "manifest/render.h"
#include "manifest/templates.h"
#include "support/objects.h"

namespace trainctl::testing {

inline const job::Kind& kind(std::string_view alias) {
  const job::Kind* found = job::find_kind(alias);
  if (found == nullptr) throw std::runtime_error(cat("no kind ", alias));
  return *found;
}

// Turns "--name=x", "--worker-image=y" or "--no-master" into what the command line's parser passes
// on.
inline job::FlagUse flag_use(const job::Kind& kind, std::string_view typed) {
  const Halves halves = split_once(typed.substr(2), '=');
  std::vector<std::string> values = {halves.found ? halves.second : "true"};
  if (const job::Flag* flag = job::find_flag(halves.first)) return {flag, nullptr, values};
  for (const job::Role& role : kind.roles) {
    const std::string prefix = cat(role.prefix, '-');
    if (!halves.first.starts_with(prefix)) continue;
    const job::Flag* flag = job::find_flag(halves.first.substr(prefix.size()));
    if (flag != nullptr && job::per_role(*flag)) return {flag, &role, values};
  }
  throw std::runtime_error(cat("no flag ", typed));
}

struct Line {
  std::string alias = "pytorch";
  std::vector<std::string> flags;
  std::vector<std::string> words = {};
  std::vector<std::string> set = {};
};

inline job::RenderInput render_input(const Line& line) {
  job::RenderInput input;
  input.kind = &kind(line.alias);
  input.manifest = yaml(job::embedded_template(*input.kind));
  for (const std::string& typed : line.flags) input.flags.push_back(flag_use(*input.kind, typed));
  input.words = line.words;
  input.set = line.set;
  input.environment = Environment({{"HOME", "/home/ada"}, {"EMPTY", ""}});
  return input;
}

inline Result<Json> try_render(const Line& line) {
  return job::render(render_input(line));
}

inline Json rendered(const Line& line) {
  Result<Json> manifest = try_render(line);
  if (!manifest) throw std::runtime_error(manifest.error().message);
  return *std::move(manifest);
}

// The error message for a command line; "" when it is accepted.
inline std::string refusal(const Line& line) {
  const Result<Json> manifest = try_render(line);
  return manifest ? "" : manifest.error().message;
}

// Reads a file of tests/manifest/data.
inline Json data(std::string_view name) {
  const std::string here = __FILE__;
  const std::string path = cat(here.substr(0, here.rfind('/')), "/data/", name);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return yaml(text.str());
}

inline const Json& at(const Json& manifest, std::string_view pointer) {
  const Json* found = find(manifest, pointer);
  if (found == nullptr) throw std::runtime_error(cat("nothing at ", pointer));
  return *found;
}

inline bool absent(const Json& manifest, std::string_view pointer) {
  return find(manifest, pointer) == nullptr;
}

}  // namespace trainctl::testing
