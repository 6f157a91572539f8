// Brings back or drops edits in the copy of the code that `dev` works in.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "transfer/script.h"
#include "work/access.h"
#include "work/code/pack.h"
#include "work/session/target.h"

namespace trainctl::work {

// A file of the container's copy that differs from the one here.
struct ChangedFile {
  std::string path;
  std::string digest;  // SHA-256 of the file in the container
  bool is_new = false;
  // The file of this name was changed here as well: it stays, and the other is written beside it.
  bool goes_beside = false;
};

struct CodeChanges {
  std::vector<ChangedFile> files;     // that differ from what is here
  std::vector<std::string> removed;   // sent and still here, but gone there
  std::vector<std::string> left_out;  // links, devices, what git keeps for itself; with the reason
  bool empty() const { return files.empty() && removed.empty() && left_out.empty(); }
};

// Compares checksums, and reads no file's content. A new file that `--code` would not send does not
// count. Fails where the container cannot list all of its files.
Result<CodeChanges> code_changes(Shell& shell, const SentCode& sent);

// Copies the files into the directory that the code came from. When some files cannot be copied, it
// copies the others, names these and fails. `shown`: the directory as the user typed it.
Status bring_back(Shell& shell, const SentCode& sent, const CodeChanges& changes,
                  const std::string& shown);

// Says whether edits in the copy are brought back when the job ends.
enum class SyncBack { ask, always, never };

struct DevCopy {
  const SentCode& sent;
  const Target& target;
  const std::string& directory;  // as typed
  SyncBack sync_back = SyncBack::ask;
};

// Tells the user about the copy, and what becomes of it.
std::string copy_notice(const Console& console, const DevCopy& copy);

// Before the job is deleted: copies back what changed, or asks, or warns of what is lost. An error
// means that edits are only in the copy, so that the job must stay. `may_ask`: the user may be
// asked, if there is a terminal.
Status save_edits(Access& access, const DevCopy& copy, bool may_ask);

}  // namespace trainctl::work
