// Replaces the values of --env-file by what the files hold, since rendering reads no files.
#include "work/create/env_files.h"

#include <iterator>
#include <string>

#include "base/text/text.h"
#include "job/manifest/env_file.h"

namespace trainctl::work {
namespace {

// Larger than any object that etcd takes.
constexpr std::size_t k_env_file_limit = std::size_t{1} << 20U;

Result<std::vector<std::string>> variables_in(Access& access, const std::string& path) {
  auto text = access.files.read(path);
  if (!text) return Error{Code::usage, text.error().message, text.error().hint};
  if (text->size() > k_env_file_limit) {
    return Error{Code::usage, cat(path, ": is larger than 1 MiB"),
                 "put large values into a volume: --pvc CLAIM:/PATH"};
  }
  auto variables = job::env_file_variables(*text);
  if (!variables) return in_context(path, std::move(variables).error());
  return variables;
}

}  // namespace

Status read_env_files(Access& access, std::vector<job::FlagUse>& flags) {
  for (job::FlagUse& use : flags) {
    if (use.flag->name != "env-file") continue;
    std::vector<std::string> all;
    for (const std::string& path : use.values) {
      auto variables = variables_in(access, path);
      if (!variables) return in_context(use.spelled(), std::move(variables).error());
      std::move(variables->begin(), variables->end(), std::back_inserter(all));
    }
    use.values = std::move(all);
  }
  // A file without variables says nothing.
  std::erase_if(flags, [](const job::FlagUse& use) {
    return use.flag->name == "env-file" && use.values.empty();
  });
  return {};
}

}  // namespace trainctl::work
