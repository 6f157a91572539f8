// Brings edited files back, each on its own and with its checksum. A file that was changed on both
// sides is written beside the one here: both versions exist then, and neither editor nor git is
// surprised by a file that changes under them, or by a merge that nobody asked for.
#include "work/copy/bring_back.h"

#include <utility>

#include "base/text/text.h"
#include "work/copy/copy.h"
#include "work/copy/edited_file.h"
#include "work/copy/fetching.h"

namespace trainctl::work {
namespace {

constexpr int k_most_beside = 100;

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

Status bring_file(Copying& copying, PlacedTree& tree, const EditedFile& file) {
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

std::string name_beside(const std::string& path, const Target& target) {
  return cat(path, ".from-", target.pod);
}

Status bring_back(Shell& shell, const SentCode& sent, const CodeChanges& changes,
                  const std::string& shown) {
  Copying copying(shell);
  TRY_ASSIGN(PlacedTree tree, PlacedTree::open(sent.directory));
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

}  // namespace trainctl::work
