// Asks git about a working tree that may be a stranger's: nothing in it is run.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "manifest/code.h"
#include "work/access.h"

namespace trainctl::work {

// True when the directory lies in a git working tree.
bool is_in_git(const Access& access, const std::string& directory);

struct GitFile {
  std::string path;  // below the directory; a repository within ends in "/"
  bool is_tracked = true;
};
// The tracked files and those that are neither tracked nor ignored. Code::usage when git is
// missing, refuses, or does not answer.
Result<std::vector<GitFile>> git_files(Access& access, const std::string& directory);

// True for a path that has `.git` in it, in any case of letters: git may run files there.
bool is_git_s_own(const std::string& path);

// Returns those of the paths that git ignores; none when git cannot tell. The files need not exist.
std::set<std::string> git_ignored(Access& access, const std::string& directory,
                                  const std::vector<std::string>& paths);

// The commit that is checked out, and which tracked files differ from it. The result is empty
// before the first commit, and when git cannot compare without running a program of the repository.
// It is empty, with a notice, when `.git` leads to a repository that does not know this working
// tree. A file that was written since git last looked counts as changed.
job::CodeRevision git_revision(Access& access, const std::string& directory);

}  // namespace trainctl::work
