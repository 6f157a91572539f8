// Packs the chosen files of `--code` into one archive, the same for the same files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "manifest/code.h"
#include "work/access.h"
#include "work/code/ignore.h"

namespace trainctl::work {

struct CodeSource {
  std::string directory;              // as typed; "" = no code
  std::vector<std::string> included;  // --code-include
  std::string image;                  // --code-image
  std::string claim = "";             // --code-claim
};

// The files that were packed, to tell later which have changed.
struct SentCode {
  std::string directory;                     // absolute
  std::map<std::string, std::string> files;  // the SHA-256 of each, by its path
  std::map<std::string, std::string> links;  // the target of each, by its path
  bool is_in_git = false;
  IgnoreRules ignored;  // leave out what was not sent
};

struct CodeArchive {
  job::PackedCode code;
  std::string bytes;
  SentCode sent;
};

// Chooses and packs the files, and prints their number and size. Code::usage for code that cannot
// be sent: more than config maps or the claim may hold, files that look like credentials, a file
// that changes meanwhile.
Result<CodeArchive> pack_code(Access& access, const CodeSource& source);

}  // namespace trainctl::work
