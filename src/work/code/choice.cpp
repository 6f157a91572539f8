// Lists by git or by walking, then looks at each path once.
#include "work/code/choice.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file/extraction_root.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "work/code/git.h"
#include "work/code/ignore.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_names =
    ".env\n.env.*\n*.env\n!.env.example\n!.env.sample\n!.env.template\n!example.env\n"
    "*.pem\n*.key\n*.p12\n*.pfx\n*.jks\n*.keystore\n*.kdbx\n*.ppk\n"
    "id_rsa\nid_dsa\nid_ecdsa\nid_ecdsa_sk\nid_ed25519\nid_ed25519_sk\n"
    ".netrc\n_netrc\n.pgpass\n.htpasswd\n.git-credentials\n.pypirc\n.s3cfg\n.boto\n"
    "kubeconfig\nkubeconfig.y*ml\nkubeconfig.json\nkubeconfig.conf\n*.kubeconfig\n**/.kube/config\n"
    "credentials*.json\nclient_secret*.json\nservice-account*.json\nservice_account*.json\n"
    "application_default_credentials.json\nkaggle.json\n.dockercfg\n**/.docker/config.json\n"
    "**/.aws/credentials\n**/.aws/config\n**/huggingface/token\n**/.huggingface/token\n"
    "**/gh/hosts.yml\n.vault-token\n.*_history\n";

}  // namespace

CredentialNames::CredentialNames() {
  rules_.add(k_names);
}

bool CredentialNames::hold(std::string_view path) const {
  return rules_.leaves_out_itself(lower(path), false);
}

namespace {

using Kind = FileNode::Kind;

constexpr const char* k_ignore_file = ".trainctlignore";
constexpr std::size_t k_most_files = 200'000;

std::string normal(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

bool leads_out(const std::string& path) {
  if (path.starts_with('/')) return true;
  const std::string end = normal(cat("./", path));
  return end == ".." || end.starts_with("../");
}

// Counts the directories above the path.
std::size_t depth_of(const std::string& path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/'));
}

class Choosing {
 public:
  Choosing(Access& access, std::string directory)
      : access_(access), files_(access.files), directory_(std::move(directory)) {}

  Result<CodeChoice> run(const std::vector<std::string>& included) {
    TRY(read_ignore_file());
    const bool by_git = is_in_git(access_, directory_);
    TRY(by_git ? list_git("") : walk(""));
    TRY(include(included));
    TRY(check_credentials());
    if (!odd_.empty()) {
      access_.console.notice(cat("left out, because they are not regular files: ", some_of(odd_)));
    }
    CodeChoice choice{directory_, {}, {}, by_git, usual_};
    for (auto& [path, node] : chosen_) choice.files.push_back({path, std::move(node)});
    if (by_git) {
      choice.revision = git_revision(access_, directory_);
      choice.revision.untracked = untracked_;
      std::erase_if(choice.revision.changed,
                    [this](const std::string& path) { return names_.hold(path); });
    }
    return choice;
  }

 private:
  // "" is the directory itself.
  std::string place(const std::string& path) const {
    if (path.empty()) return directory_;
    return cat(directory_, directory_ == "/" ? "" : "/", path);
  }

  Status read_ignore_file() {
    usual_.add(k_usually_ignored);
    if (!files_.node(place(k_ignore_file))) return {};
    const auto read = files_.read_below(directory_, k_ignore_file);
    if (!read) {
      return Error{Code::usage,
                   cat("cannot read ", k_ignore_file, ": it is a link, or you may not read it"),
                   "replace it with a regular file that you can read"};
    }
    const auto& text = read->content;
    if (!text) return Error{Code::usage, text.error().message, text.error().hint};
    usual_.add(*text);
    own_.add(*text);
    return {};
  }

  // True when every directory above the path is one, and no link.
  bool has_real_way(const std::string& path) {
    const std::string above = directory_of(path);
    if (above == ".") return true;
    if (const auto known = real_ways_.find(above); known != real_ways_.end()) return known->second;
    const auto node = files_.node(place(above));
    const bool real = node && node->kind == Kind::directory && has_real_way(above);
    return real_ways_[above] = real;
  }

  // `inside` is a directory with "/" at its end, or "". The index may be a stranger's, and hold
  // paths that git itself would never add; or be older than the tree, and hold files of a directory
  // that is a link now.
  Status list_git(const std::string& inside) {
    if (!listed_.insert(inside).second) return {};
    TRY_ASSIGN(const std::vector<GitFile> listed, git_files(access_, place(inside)));
    for (const GitFile& file : listed) {
      const std::string path = normal(inside + file.path);
      if (leads_out(path)) return outside(path);
      const bool is_in_tree = path != "." && !is_git_s_own(path) && has_real_way(path);
      const auto node = is_in_tree ? files_.node(place(path)) : std::nullopt;
      if (!node) continue;  // deleted, and still in the index
      const bool is_directory = node->kind == Kind::directory;
      if ((file.is_tracked ? own_ : usual_).leaves_out(path, is_directory)) continue;
      if (!is_directory) {
        if (!file.is_tracked) untracked_.push_back(path);
        TRY(take(path, *node));
      } else if (files_.node(place(path + "/.git"))) {
        TRY(list_git(path + "/"));  // a submodule, or a repository within
      }
    }
    return {};
  }

  Status walk(const std::string& inside) {
    for (const std::string& name : files_.list(place(inside))) {
      const std::string path = inside + name;
      const auto node = files_.node(place(path));
      if (!node || name == ".git") continue;
      const bool is_directory = node->kind == Kind::directory;
      if (usual_.leaves_out_itself(path, is_directory)) continue;
      if (!is_directory) {
        TRY(take(path, *node));
      } else if (node->is_readable) {
        TRY(walk(path + "/"));
      } else {
        return unreadable(path);
      }
    }
    return {};
  }

  Status take(const std::string& path, const FileNode& node) {
    if (node.kind == Kind::other) {
      odd_.push_back(path);
      return {};
    }
    if (node.kind == Kind::link && !stays_inside(node.target, depth_of(path))) {
      return Error{
          Code::usage,
          cat(printable_line(path), " is a link that leads out of the directory, to ",
              printable_line(node.target)),
          cat("a pod would not find the target: mount the data (--pvc), and list the link in ",
              k_ignore_file)};
    }
    if (!node.is_readable) return unreadable(path);
    if (chosen_.size() == k_most_files) {
      return Error{Code::usage, cat("there are more than ", k_most_files, " files"),
                   cat("list files that the job does not need in ", k_ignore_file)};
    }
    chosen_.emplace(path, node);
    return {};
  }

  static Error outside(const std::string& path) {
    return {Code::usage,
            cat("git lists ", printable_line(path), ", which is outside of the directory"),
            "its index is damaged, or lists files outside the tree"};
  }

  static Error unreadable(const std::string& path) {
    return {Code::usage, cat("cannot read ", printable_line(path), ": Permission denied"),
            cat("a line in ", k_ignore_file, " leaves it out")};
  }

  Status include(const std::vector<std::string>& included) {
    for (const std::string& typed : included) {
      const std::string path = normal(typed);
      const auto node = leads_out(path) ? std::nullopt : files_.node(place(path));
      if (!node || node->kind == Kind::directory || !has_real_way(path)) {
        return in_context(
            "--code-include",
            Error{Code::usage,
                  cat(printable_line(typed), " is not in ", printable_line(directory_)),
                  "name each file by its path below the directory of --code"});
      }
      named_.insert(path);
      if (chosen_.count(path) == 0) TRY(take(path, *node));
    }
    return {};
  }

  Status check_credentials() const {
    std::vector<std::string> found;
    for (const auto& [path, node] : chosen_) {
      if (names_.hold(path) && named_.count(path) == 0) found.push_back(path);
    }
    if (found.empty()) return {};
    return Error{Code::usage, cat("these look like credentials: ", some_of(found)),
                 cat("leave them out with a line in ", k_ignore_file,
                     ", or name each with --code-include; keep secrets in a Secret: "
                     "--env-secret")};
  }

  Access& access_;
  Files& files_;
  std::string directory_;
  IgnoreRules own_;    // .trainctlignore
  IgnoreRules usual_;  // the same behind what is usually ignored
  CredentialNames names_;
  std::set<std::string> named_;
  std::set<std::string> listed_;           // repositories
  std::map<std::string, bool> real_ways_;  // of directories
  std::map<std::string, FileNode> chosen_;
  std::vector<std::string> untracked_;
  std::vector<std::string> odd_;
};

}  // namespace

Result<std::string> code_directory(const Access& access, const std::string& directory) {
  const std::string place = normal(resolve_path(access.working_directory(), directory));
  const auto facts = access.files.facts(place);
  const bool is_directory = facts && !facts->is_regular && access.files.exists(place);
  if (!is_directory) {
    return Error{Code::usage,
                 cat(printable_line(directory), facts ? " is not a directory" : " does not exist"),
                 "--code takes the directory that holds the program"};
  }
  return place;
}

Result<CodeChoice> choose_code(Access& access, const std::string& directory,
                               const std::vector<std::string>& included) {
  TRY_ASSIGN(const std::string place, code_directory(access, directory));
  return Choosing(access, place).run(included);
}

}  // namespace trainctl::work
