// Compares by a list of checksums that the container prints. It may be hostile: a path counts only
// when it stays inside the directory and git runs nothing of it.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/console/console.h"
#include "base/file/extraction_root.h"
#include "base/file/sha256.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "manifest/code.h"
#include "transfer/copy.h"
#include "transfer/dev_edits.h"
#include "transfer/edited_file.h"
#include "transfer/fetching.h"
#include "work/access.h"
#include "work/code/git.h"
#include "work/code/pack.h"

namespace trainctl::work {
namespace {

// Three lists, each behind its title: checksums of files; links, each followed by its target; other
// objects that are not directories. Lines cannot tell a name that holds a line end.
constexpr std::string_view k_list_code =
    "cd \"$1\" || exit\n"
    "for tool in find sha256sum; do\n"
    "  command -v $tool >/dev/null || { echo \"no $tool to compare files with\" >&2; exit 1; }\n"
    "done\n"
    "end='\n'\n"
    "echo files\n"
    "find . -name .git -prune -o -path \"*$end*\" -prune -o -type f -exec sha256sum '{}' + &&\n"
    "echo links &&\n"
    "find . -name .git -prune -o -path \"*$end*\" -prune -o -type l -exec sh -c '\n"
    "  for one do printf \"%s\\n\" \"$one\"; readlink \"$one\" || echo; done' sh '{}' + &&\n"
    "echo others &&\n"
    "find . -name .git -prune -print -o -path \"*$end*\" -prune -exec echo './a name with a line "
    "end' ';' \\\n"
    "  -o ! -type f ! -type l ! -type d -print";

struct CodeListing {
  std::map<std::string, std::string> files;  // checksums, by path
  std::map<std::string, std::string> links;  // targets, by path
  std::vector<std::string> others;
};

// The path below the directory; nullopt for a line that is none, or that leads elsewhere.
std::optional<std::string> listed_path(const std::string& line) {
  if (!line.starts_with("./")) return std::nullopt;
  std::string path = line.substr(2);
  const auto steps = steps_in(path);
  if (!steps || steps->empty() || join(*steps, "/") != path) return std::nullopt;
  return path;
}

// sha256sum marks a line whose name it has escaped with a backslash in front.
std::string unescaped(const std::string& name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '\\' || i + 1 == name.size()) {
      text += name[i];
      continue;
    }
    const char next = name[++i];
    text += next == 'n' ? '\n' : next == 'r' ? '\r' : next;
  }
  return text;
}

void read_sum(std::string line, CodeListing& listing) {
  constexpr std::size_t k_before_name = 66;  // the digits and two blanks
  const bool is_escaped = line.starts_with('\\');
  if (is_escaped) line.erase(0, 1);
  if (line.size() <= k_before_name) return;
  const std::string name = line.substr(k_before_name);
  const auto path = listed_path(is_escaped ? unescaped(name) : name);
  if (path) listing.files[*path] = checksum_in(line);
}

CodeListing read_listing(const std::string& printed) {
  enum class Part { none, files, links, others } part = Part::none;
  CodeListing listing;
  const std::vector<std::string> lines = split(printed, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line == "files") part = Part::files;
    if (line == "links") part = Part::links;
    if (line == "others") part = Part::others;
    if (part == Part::files) read_sum(line, listing);
    const auto path = listed_path(line);
    if (!path) continue;
    if (part == Part::links && i + 1 < lines.size()) listing.links[*path] = lines[++i];
    if (part == Part::others) listing.others.push_back(*path);
  }
  return listing;
}

class Comparison {
 public:
  Comparison(Access& access, const SentCode& sent, const CodeListing& there)
      : access_(access), sent_(sent), there_(there) {}

  CodeChanges run() {
    for (const auto& [path, digest] : there_.files) compare_file(path, digest);
    drop_what_git_ignores();
    for (const auto& [path, target] : there_.links) {
      const auto sent = sent_.links.find(path);
      if (sent == sent_.links.end() || sent->second != target) leave_out(path, "a link");
    }
    for (const std::string& path : there_.others) {
      leave_out(path, is_git_s_own(path) ? "git's own" : "not a file");
    }
    for (const auto& [path, digest] : sent_.files) find_removed(path);
    for (const auto& [path, target] : sent_.links) find_removed(path);
    return std::move(changes_);
  }

 private:
  bool was_sent(const std::string& path) const {
    return sent_.files.contains(path) || sent_.links.contains(path);
  }

  void compare_file(const std::string& path, const std::string& digest) {
    const auto sent = sent_.files.find(path);
    if (sent != sent_.files.end() && sent->second == digest) return;
    if (is_git_s_own(path)) return leave_out(path, "git's own");
    if (!was_sent(path) && sent_.ignored.leaves_out(path, false)) return;
    const EditedFile file{access_, sent_, path, digest};
    if (file.is_here()) return;
    changes_.files.push_back({path, digest, !was_sent(path), !file.may_be_written()});
  }

  void drop_what_git_ignores() {
    if (!sent_.is_in_git) return;
    std::vector<std::string> added;
    for (const ChangedFile& file : changes_.files) {
      if (file.is_new) added.push_back(file.path);
    }
    const std::set<std::string> ignored = git_ignored(access_, sent_.directory, added);
    std::erase_if(changes_.files, [&ignored](const ChangedFile& file) {
      return file.is_new && ignored.contains(file.path);
    });
  }

  void leave_out(const std::string& path, std::string_view why) {
    if (!was_sent(path) && sent_.ignored.leaves_out(path, false)) return;
    left_out_.insert(path);
    changes_.left_out.push_back(cat(path, " (", why, ")"));
  }

  void find_removed(const std::string& path) {
    const bool is_there = there_.files.contains(path) || there_.links.contains(path) ||
                          left_out_.contains(path) || path.find('\n') != std::string::npos;
    if (is_there || !access_.files.node(resolve_path(sent_.directory, path))) return;
    changes_.removed.push_back(path);
  }

  Access& access_;
  const SentCode& sent_;
  const CodeListing& there_;
  CodeChanges changes_;
  std::set<std::string> left_out_;
};

}  // namespace

Result<CodeChanges> code_changes(Shell& shell, const SentCode& sent) {
  Copying copying(shell);
  copying.show("comparing the code with what was sent");
  TRY_ASSIGN(const std::string printed,
             copying.answer(k_list_code, {std::string(job::k_code_path)}));
  const CodeListing there = read_listing(printed);
  return Comparison(shell.access, sent, there).run();
}

}  // namespace trainctl::work
