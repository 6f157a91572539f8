// Asks by commands that read the index, with every program that the repository's own configuration
// could name turned off: monitor, hooks, filters, and what fetches objects that it lacks.
#include "cli/code/git.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/files.h"
#include "base/text.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_most_output = std::size_t{64} << 20;

// In a hook of git these name the repository that the hook is of.
constexpr std::string_view k_other_repository[] = {"GIT_DIR",
                                                   "GIT_WORK_TREE",
                                                   "GIT_INDEX_FILE",
                                                   "GIT_OBJECT_DIRECTORY",
                                                   "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                                   "GIT_COMMON_DIR",
                                                   "GIT_NAMESPACE",
                                                   "GIT_PREFIX"};

Environment git_environment(const Environment& ours) {
  auto variables = ours.all();
  for (const std::string_view name : k_other_repository) {
    if (const auto found = variables.find(name); found != variables.end()) variables.erase(found);
  }
  variables["GIT_OPTIONAL_LOCKS"] = "0";
  // A partial clone fetches objects that it lacks, by programs of its own choice. Where git does
  // not know the first variable yet, the second leaves it no protocol to do that with.
  variables["GIT_NO_LAZY_FETCH"] = "1";
  variables["GIT_ALLOW_PROTOCOL"] = "";
  return Environment(std::move(variables));
}

Result<ChildExit> run_git(Context& context, const std::string& directory,
                          const std::vector<std::string>& words) {
  ChildSpec spec;
  spec.argv = {"git", "-c",     "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
               "-C",  directory};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.environment = git_environment(context.environment);
  spec.output_limit = k_most_output;
  return await<Result<ChildExit>>(
      context.loop, [&](auto done) { return context.loop.spawn(std::move(spec), done); });
}

std::vector<std::string> names_of(std::string_view output) {
  std::vector<std::string> names = split(output, '\0');
  std::erase(names, "");
  return names;
}

// The options that make every filter of the configuration an empty one. Git may read a file through
// its filter to tell whether it has changed. nullopt for a filter that no option can name.
std::optional<std::vector<std::string>> without_filters(Context& context,
                                                        const std::string& directory) {
  const auto found =
      run_git(context, directory, {"config", "-z", "--name-only", "--get-regexp", "^filter\\."});
  constexpr int k_none = 1;
  if (!found || (found->status != 0 && found->status != k_none)) return std::nullopt;
  std::set<std::string> filters;
  for (const std::string& name : names_of(found->output)) {
    filters.insert(name.substr(0, name.rfind('.')));
  }
  std::vector<std::string> options;
  for (const std::string& filter : filters) {
    if (filter.find_first_of("=\n") != std::string::npos) return std::nullopt;
    for (const char* setting : {".clean=", ".smudge=", ".process=", ".required=false"}) {
      options.insert(options.end(), {"-c", filter + setting});
    }
  }
  return options;
}

}  // namespace

bool is_in_git(const Context& context, const std::string& directory) {
  const auto facts = context.files.facts(directory);
  std::string at = facts ? facts->real_path : directory;
  for (;; at = directory_of(at)) {
    if (context.files.exists(resolve_path(at, ".git"))) return true;
    if (at == "/" || at == ".") return false;
  }
}

Result<std::vector<GitFile>> git_files(Context& context, const std::string& directory) {
  auto listed = run_git(context, directory,
                        {"ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"});
  const std::string shown = printable_line(directory);
  if (!listed) {
    return Error{Code::usage, cat("cannot list the files of ", shown, ": ", listed.error().message),
                 "it is a git working tree: install git, or give a directory outside of one"};
  }
  if (listed->status != 0) {
    return Error{Code::usage, cat("git cannot list the files of ", shown),
                 "what git says stands above; it must be able to read this working tree"};
  }
  std::vector<GitFile> files;
  for (const std::string& line : names_of(listed->output)) {
    // "H train.py"; the letter of what git does not track is "?".
    if (line.size() > 2) files.push_back({line.substr(2), line.front() != '?'});
  }
  return files;
}

job::CodeRevision git_revision(Context& context, const std::string& directory) {
  job::CodeRevision revision;
  const auto head = run_git(context, directory, {"rev-parse", "--verify", "--quiet", "HEAD"});
  if (!head || head->status != 0) return revision;
  auto words = without_filters(context, directory);
  if (!words) return revision;
  words->insert(words->end(), {"diff-index", "--name-only", "-z", "--relative", "--no-ext-diff",
                               "--ignore-submodules", "HEAD", "--"});
  const auto changed = run_git(context, directory, *words);
  if (!changed || changed->status != 0) return revision;
  revision.commit = std::string(trim(head->output));
  revision.changed = names_of(changed->output);
  return revision;
}

}  // namespace trainctl::cli
