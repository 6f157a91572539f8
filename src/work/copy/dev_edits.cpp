// Compares, shows and copies back edits. If nobody asked for edits and nobody can be asked, a
// failed comparison keeps no job: the job would have been deleted in any case.
#include "work/copy/dev_edits.h"

#include "base/console/confirm.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "job/manifest/code.h"
#include "work/copy/bring_back.h"

namespace trainctl::work {
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
