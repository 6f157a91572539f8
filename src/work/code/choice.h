// Chooses the files of a directory that `--code` takes along.
#pragma once

#include <string>
#include <vector>

#include "base/file/files.h"
#include "base/result.h"
#include "job/manifest/code.h"
#include "work/access.h"
#include "work/code/ignore.h"

namespace trainctl::work {

struct CodeFile {
  std::string path;  // below the directory
  FileNode node;     // a file or a link
};

struct CodeChoice {
  std::string directory;        // absolute
  std::vector<CodeFile> files;  // sorted by the bytes of their paths
  job::CodeRevision revision;
  bool is_in_git = false;
  IgnoreRules ignored;  // leave out what git does not track
};

// The absolute path of the directory that was typed; Code::usage for any other path.
Result<std::string> code_directory(const Access& access, const std::string& directory);

// In a git working tree, what git tracks and what it neither tracks nor ignores; elsewhere all
// files. From both .trainctlignore leaves out, and from what git does not track also what is
// usually ignored. `included` names files that are taken in any case, even where their names look
// like credentials; without being named there, such a file is Code::usage. So is a link that leads
// out of the directory, or a file that cannot be read. A notice tells of what is not a file.
Result<CodeChoice> choose_code(Access& access, const std::string& directory,
                               const std::vector<std::string>& included);

}  // namespace trainctl::work
