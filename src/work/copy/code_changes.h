// Compares a container's copy of the user's code with the code that was sent.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "work/code/pack.h"
#include "work/copy/script.h"

namespace trainctl::work {

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

}  // namespace trainctl::work
