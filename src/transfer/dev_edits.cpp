// Compares, shows and copies back edits. If nobody asked for edits and nobody can be asked, a
// failed comparison keeps no job: the job would have been deleted in any case.
#include "transfer/dev_edits.h"

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
#include "transfer/fetching.h"
#include "work/access.h"
#include "work/code/git.h"
#include "work/code/pack.h"

namespace trainctl::work {
namespace {

// A file that was edited in a container, and the file of the same name on this machine.
struct EditedFile {
  Access& access;
  const SentCode& sent;
  const std::string& path;    // below the directory of the code
  const std::string& digest;  // in the container

  // True if the file of this name on this machine has the same content.
  bool is_here() const { return is_at(path); }
  bool is_at(const std::string& name) const;
  // True if writing it under its own name loses nothing: the file here is as it was sent, or is
  // missing.
  bool may_be_written() const;
  bool is_free(const std::string& name) const;
};

std::optional<std::string> digest_here(Access& access, const std::string& directory,
                                       const std::string& path) {
  const auto read = access.files.read_below(directory, path);
  if (!read || !read->content) return std::nullopt;
  return sha256_hex(*read->content);
}

bool EditedFile::is_at(const std::string& name) const {
  return digest_here(access, sent.directory, name) == digest;
}

bool EditedFile::is_free(const std::string& name) const {
  return !access.files.node(resolve_path(sent.directory, name));
}

bool EditedFile::may_be_written() const {
  if (is_free(path)) return true;
  const auto was = sent.files.find(path);
  return was != sent.files.end() && digest_here(access, sent.directory, path) == was->second;
}

}  // namespace

// Compares by a list of checksums that the container prints. It may be hostile: a path counts only
// when it stays inside the directory and git runs nothing of it.

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

// Brings edited files back, each on its own and with its checksum. A file that was changed on both
// sides is written beside the one here: both versions exist then, and neither editor nor git is
// surprised by a file that changes under them, or by a merge that nobody asked for.

namespace {

constexpr int k_most_beside = 100;

// The name beside a file under which another version of it is written.
std::string name_beside(const std::string& path, const Target& target) {
  return cat(path, ".from-", target.pod);
}

// The name that the file gets here; "" = it is here already.
Result<std::string> name_here(const EditedFile& file, const Target& target) {
  if (file.is_here()) return std::string();
  if (file.may_be_written()) return file.path;
  const std::string beside = name_beside(file.path, target);
  for (int i = 1; i <= k_most_beside; ++i) {
    const std::string name = i == 1 ? beside : cat(beside, '.', i);
    if (file.is_at(name)) return std::string();
    if (file.is_free(name)) return name;
  }
  return Error{Code::refused, cat(printable_line(beside), " and the names after it are taken"), ""};
}

Status bring_file(Copying& copying, ExtractionRoot& tree, const EditedFile& file) {
  const Target& target = copying.shell().target;
  TRY_ASSIGN(const std::string name, name_here(file, target));
  if (name.empty()) return {};
  Fetching fetching{cat(job::k_code_path, '/', file.path), {}};
  TRY_ASSIGN(fetching.facts, copying.facts_of(fetching.path));
  if (fetching.facts.kind != RemoteFacts::Kind::file) return changed_meanwhile(file.path);
  TRY(tree.begin_file(name));
  Sha256 sum;
  TRY(fetch_rest(copying, tree, fetching, &sum));
  if (sum.hex() != file.digest) return changed_meanwhile(file.path);
  // An editor may have saved it while the bytes were on their way.
  TRY_ASSIGN(const std::string name_now, name_here(file, target));
  if (name_now != name) return changed_meanwhile(file.path);
  TRY(tree.finish_file({fetching.facts.mode, fetching.facts.modified}));
  if (name != file.path) {
    copying.console().warn(cat(printable_line(file.path), " has changed here as well: see ",
                               printable_line(name), " for the other version"));
  }
  return {};
}

// The other files can be copied in spite of it.
bool concerns_one_file(const Shell& shell, const Error& error) {
  return !shell.interruption && (error.code == Code::error || error.code == Code::refused);
}

}  // namespace

Status bring_back(Shell& shell, const SentCode& sent, const CodeChanges& changes,
                  const std::string& shown) {
  Copying copying(shell);
  TRY_ASSIGN(ExtractionRoot tree, ExtractionRoot::open(sent.directory));
  for (const ChangedFile& file : changes.files) {
    const Status brought = bring_file(copying, tree, {shell.access, sent, file.path, file.digest});
    if (brought) continue;
    tree.drop_file();
    if (!concerns_one_file(shell, brought.error())) return brought;
    copying.leave_out(brought.error());
  }
  TRY(tree.finish());
  return copying.finish(
      cat(plural(static_cast<long>(changes.files.size()), "file"), " back to ", shown));
}

namespace {

constexpr std::size_t k_files_listed = 10;

void list_changes(Console& console, const CodeChanges& changes, const Target& target) {
  std::size_t listed = 0;
  for (const ChangedFile& file : changes.files) {
    if (listed++ == k_files_listed) {
      console.notice(cat("  … and ", changes.files.size() - k_files_listed, " more"));
      break;
    }
    std::string line = cat(file.is_new ? "  added    " : "  changed  ", printable_line(file.path));
    if (file.goes_beside) {
      line += cat(" (changed here as well; written to ",
                  printable_line(name_beside(file.path, target)), ")");
    }
    console.notice(line);
  }
  if (!changes.removed.empty()) {
    console.notice(cat("removed in the copy but kept here: ", some_of(changes.removed)));
  }
  if (!changes.left_out.empty()) {
    console.notice(cat("not copied back: ", some_of(changes.left_out)));
  }
}

void warn_of_loss(Console& console, const std::vector<ChangedFile>& files) {
  if (files.empty()) return;
  std::vector<std::string> names;
  for (const ChangedFile& file : files) names.push_back(file.path);
  console.warn(cat(plural(static_cast<long>(files.size()), "changed file"), " in ",
                   job::k_code_path, " will be deleted with the job: ", some_of(names),
                   "; `trainctl dev --sync-back` copies such files back"));
}

std::string question(const CodeChanges& changes, const std::string& directory) {
  const auto count = static_cast<long>(changes.files.size());
  return cat("copy ", count == 1 ? "this " : "these ", plural(count, "file"), " back to ",
             printable_line(directory));
}

}  // namespace

std::string copy_notice(const Console& console, const DevCopy& copy) {
  std::string words = cat("dev works in a copy of ", printable_line(copy.directory),
                          ", which is deleted with the job; ");
  if (copy.sync_back == SyncBack::always) {
    words += "your changes are copied back at the end";
  } else if (copy.sync_back == SyncBack::ask && can_ask(console)) {
    words += "at the end, dev asks whether to copy your changes back";
  } else {
    words += cat("to copy your changes back: trainctl cp ", copy.target.name(), ':',
                 job::k_code_path, " DIR");
  }
  return words;
}

Status save_edits(Access& access, const DevCopy& copy, bool may_ask) {
  if (copy.sync_back == SyncBack::never) return {};
  Console& console = access.console;
  const bool copies = copy.sync_back == SyncBack::always;
  const bool asks = !copies && may_ask && can_ask(console);
  TRY_ASSIGN(kube::Client * client, access.client());
  Shell shell{access, *client, copy.target};
  shell.heed_signals();
  const auto changes = code_changes(shell, copy.sent);
  if (!changes) {
    Error error = in_context("cannot tell what changed in the copy", changes.error());
    if (copies || asks) return error;
    console.warn(error.message);
    return {};
  }
  if (!copies && !asks) {
    warn_of_loss(console, changes->files);
    return {};
  }
  list_changes(console, *changes, copy.target);
  if (changes->files.empty()) return {};
  if (asks && !confirmed(console, question(*changes, copy.directory))) return {};
  return bring_back(shell, copy.sent, *changes, copy.directory);
}

}  // namespace trainctl::work
