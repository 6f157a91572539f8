// Packs the chosen files of `--code` into one archive, the same for the same files.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "job/manifest/code.h"
#include "work/access.h"

namespace trainctl::work {

struct CodeSource {
  std::string directory;              // as typed; "" = no code
  std::vector<std::string> included;  // --code-include
  std::string image;                  // --code-image
};

struct CodeArchive {
  job::PackedCode code;
  std::string bytes;
};

// Chooses and packs, and tells how much it is. Code::usage for what cannot be sent: more than
// job::k_most_code, what looks like credentials, a file that changes meanwhile.
Result<CodeArchive> pack_code(Access& access, const CodeSource& source);

}  // namespace trainctl::work
