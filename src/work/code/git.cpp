// Runs git commands that read the index. Every program that the repository's own configuration
// could name is turned off: monitor, hooks, filters, and fetchers of missing objects.
#include "work/code/git.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/file/files.h"
#include "base/loop/loop_child.h"
#include "base/text/text.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_most_output = std::size_t{64} << 20;
// A FIFO in the place of a file that git reads holds it for ever. A tree of a million files on a
// cold disk takes git less than a minute.
constexpr Duration k_git_told_after = std::chrono::seconds(5);
constexpr Duration k_git_patience = std::chrono::minutes(2);

constexpr std::string_view k_about_git =
    "the directory is in a git working tree: install git, or give a directory outside of one";

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
  // A partial clone fetches objects that it lacks, by programs of its own choice. For a git that
  // does not know the first variable yet, the second leaves no protocol to do that with.
  variables["GIT_NO_LAZY_FETCH"] = "1";
  variables["GIT_ALLOW_PROTOCOL"] = "";
  return Environment(std::move(variables));
}

Result<ChildExit> run_git(Access& access, const std::string& directory,
                          const std::vector<std::string>& words) {
  ChildSpec spec;
  spec.argv = {"git", "-c",     "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null",
               "-C",  directory};
  spec.argv.insert(spec.argv.end(), words.begin(), words.end());
  spec.environment = git_environment(access.environment);
  spec.output_limit = k_most_output;
  const std::string shown = printable_line(directory);
  const HandlePtr slow = access.loop.after(k_git_told_after, [&access, &shown] {
    access.console.notice(cat("still waiting for git, which reads ", shown));
  });
  auto ended = run_child(access.loop, std::move(spec), k_git_patience);
  if (ended) return *std::move(ended);
  return Error{Code::usage, cat("git has not answered for ", format_age(k_git_patience)),
               "is one of its files a pipe? find . -name '.git*' -type p"};
}

std::vector<std::string> names_of(std::string_view output) {
  std::vector<std::string> names = split(output, '\0');
  std::erase(names, "");
  return names;
}

// The options that make every filter of the configuration an empty one. Git may read a file through
// its filter to tell whether it has changed. nullopt for a filter that no option can name.
std::optional<std::vector<std::string>> without_filters(Access& access,
                                                        const std::string& directory) {
  const auto found =
      run_git(access, directory, {"config", "-z", "--name-only", "--get-regexp", "^filter\\."});
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

// The directory with the `.git` that git finds; nullopt outside of a working tree.
std::optional<std::string> root_of(const Access& access, const std::string& directory) {
  const auto facts = access.files.facts(directory);
  std::string at = facts ? facts->real_path : directory;
  for (;; at = directory_of(at)) {
    if (access.files.exists(resolve_path(at, ".git"))) return at;
    if (at == "/" || at == ".") return std::nullopt;
  }
}

// True when the path, relative to `directory`, leads to `place`.
bool leads_to(const Access& access, const std::string& directory, const std::string& path,
              const std::string& place) {
  const auto facts = access.files.facts(resolve_path(directory, path));
  return facts && facts->real_path == place;
}

// True when no part of the repository is another's by way of a link.
bool is_whole(const Access& access, const std::string& repository) {
  for (const char* part : {"HEAD", "index", "refs", "packed-refs", "objects", "config"}) {
    const auto node = access.files.node(resolve_path(repository, part));
    if (node && node->kind == FileNode::Kind::link) return false;
  }
  return !access.files.exists(resolve_path(repository, "commondir"));
}

// True when the working tree at `root` belongs to the repository that its `.git` names. Anybody can
// write a `.git` that names another's repository. That repository names its own working trees: the
// file `gitdir` those of `git worktree`, its configuration that of a submodule.
bool is_of_its_repository(Access& access, const std::string& root) {
  const std::string own = resolve_path(root, ".git");
  const auto node = access.files.node(own);
  if (node && node->kind == FileNode::Kind::directory) return is_whole(access, own);
  const auto named = run_git(access, root, {"rev-parse", "--absolute-git-dir"});
  if (!named || named->status != 0) return false;
  const std::string repository(trim(named->output));
  if (const auto back = access.files.read(resolve_path(repository, "gitdir"))) {
    return leads_to(access, repository, std::string(trim(*back)), own);
  }
  const auto tree = run_git(access, root, {"config", "--local", "--get", "core.worktree"});
  return tree && leads_to(access, repository, std::string(trim(tree->output)), root);
}

constexpr std::size_t k_paths_at_once = 500;

}  // namespace

bool is_git_s_own(const std::string& path) {
  return cat("/", lower(path), "/").find("/.git/") != std::string::npos;
}

std::set<std::string> git_ignored(Access& access, const std::string& directory,
                                  const std::vector<std::string>& paths) {
  std::set<std::string> ignored;
  for (std::size_t i = 0; i < paths.size(); i += k_paths_at_once) {
    std::vector<std::string> words = {"-c", "core.quotePath=false", "check-ignore", "--"};
    for (std::size_t at = i; at < std::min(i + k_paths_at_once, paths.size()); ++at) {
      words.push_back("./" + paths[at]);
    }
    const auto answer = run_git(access, directory, words);
    if (!answer) continue;
    for (const std::string& line : split(answer->output, '\n')) {
      if (line.starts_with("./")) ignored.insert(line.substr(2));
    }
  }
  return ignored;
}

bool is_in_git(const Access& access, const std::string& directory) {
  return root_of(access, directory).has_value();
}

Result<std::vector<GitFile>> git_files(Access& access, const std::string& directory) {
  auto listed = run_git(access, directory,
                        {"ls-files", "-z", "-t", "--cached", "--others", "--exclude-standard"});
  const std::string shown = printable_line(directory);
  if (!listed) {
    return Error{Code::usage, cat("cannot list the files of ", shown, ": ", listed.error().message),
                 listed.error().hint.empty() ? std::string(k_about_git) : listed.error().hint};
  }
  if (listed->status != 0) {
    return Error{Code::usage, cat("git cannot list the files of ", shown),
                 "see git's message above; git must be able to read this working tree"};
  }
  std::vector<GitFile> files;
  for (const std::string& line : names_of(listed->output)) {
    // "H train.py"; the letter of what git does not track is "?".
    if (line.size() > 2) files.push_back({line.substr(2), line.front() != '?'});
  }
  return files;
}

job::CodeRevision git_revision(Access& access, const std::string& directory) {
  job::CodeRevision revision;
  const auto root = root_of(access, directory);
  if (!root || !is_of_its_repository(access, *root)) {
    access.console.notice(cat("the commit is not recorded: the .git of ",
                              printable_line(root.value_or(directory)),
                              " belongs to another directory's repository"));
    return revision;
  }
  const auto head = run_git(access, directory, {"rev-parse", "--verify", "--quiet", "HEAD"});
  if (!head || head->status != 0) return revision;
  auto words = without_filters(access, directory);
  if (!words) return revision;
  words->insert(words->end(), {"diff-index", "--name-only", "-z", "--relative", "--no-ext-diff",
                               "--ignore-submodules", "HEAD", "--"});
  const auto changed = run_git(access, directory, *words);
  if (!changed || changed->status != 0) return revision;
  revision.commit = std::string(trim(head->output));
  revision.changed = names_of(changed->output);
  return revision;
}

}  // namespace trainctl::work
