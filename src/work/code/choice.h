// Chooses the files of a directory that `--code` takes along.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file/files.h"
#include "base/result.h"
#include "manifest/code.h"
#include "work/access.h"
#include "work/code/ignore.h"

namespace trainctl::work {

// Files whose names say that they hold credentials. Pure.
class CredentialNames {
 public:
  CredentialNames();
  // True for the path of a file such as .env, deploy.pem, .ssh/id_ed25519 or .aws/credentials, in
  // any case of letters; not for a public key or an example (.env.example).
  bool hold(std::string_view path) const;

 private:
  IgnoreRules rules_;
};

struct CodeFile {
  std::string path;  // below the directory
  FileNode node;     // a file or a link
};

struct CodeChoice {
  std::string directory;        // absolute
  std::vector<CodeFile> files;  // sorted by the bytes of their paths
  job::CodeRevision revision;
  bool is_in_git = false;
  IgnoreRules ignored;  // apply to files that git does not track
};

// The absolute path of the directory that was typed; Code::usage for any other path.
Result<std::string> code_directory(const Access& access, const std::string& directory);

// Chooses the tracked files of a git working tree and those neither tracked nor ignored; elsewhere
// all files. .trainctlignore applies to all of them; to files that git does not track, the usual
// patterns apply as well. `included` names files that are always taken, even if their names look
// like credentials. Code::usage for another such file, for a link that leads out of the directory,
// and for a file that cannot be read. A notice names entries that are not files.
Result<CodeChoice> choose_code(Access& access, const std::string& directory,
                               const std::vector<std::string>& included);

}  // namespace trainctl::work
