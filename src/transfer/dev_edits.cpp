// Brings edited files back, each on its own and with its checksum. A file that was changed on both
// sides is written beside the one here: both versions exist then, and neither editor nor git is
// surprised by a file that changes under them, or by a merge that nobody asked for.
#include "transfer/dev_edits.h"

#include <string>

#include "base/console/console.h"
#include "base/file/extraction_root.h"
#include "base/file/sha256.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "manifest/code.h"
#include "transfer/copy.h"
#include "transfer/edited_file.h"
#include "transfer/fetching.h"
#include "work/access.h"
#include "work/code/git.h"
#include "work/code/pack.h"

namespace trainctl::work {
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
  Checksum sum(Checksum::Method::sha256);
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
  if (asks) {
    TRY_ASSIGN(const bool agreed,
               confirmed(console, access.loop, question(*changes, copy.directory)));
    if (!agreed) return {};
  }
  return bring_back(shell, copy.sent, *changes, copy.directory);
}

}  // namespace trainctl::work
