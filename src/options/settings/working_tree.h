// The configuration file of a working tree, which may have come with a stranger's repository: where
// it is looked for, and which files are accepted.
#pragma once

#include <string>

#include "base/environment.h"
#include "base/file/own_file.h"
#include "base/result.h"
#include "options/table/defaults.h"

namespace trainctl::options {

struct TreeFile {
  std::string path;     // its path as found; "" = there is no place for one
  std::string refused;  // why it is not accepted, as "it belongs to another user"; "" = it is
  bool exists = false;
};
// Finds the nearest `.trainctl.yaml` from the working directory up to the root of its repository
// (marked by `.git`); outside of a repository, up to the home directory when the working directory
// is below it, else in the working directory alone. Accepts a regular file of this user or root, in
// a directory of theirs, that no symbolic link brings in from elsewhere. The file's content is
// pinned.
TreeFile find_tree_file(PinnedFiles& files, const Environment& environment,
                        const std::string& working_directory);

// Resolves the paths in a setting; Code::usage when one leads out of the directory of `tree`, or to
// anything but a regular file of this user or root. Pins what they lead to: the content that was
// checked is the one that is shown, agreed to and used.
Status keep_in_tree(PinnedFiles& files, const TreeFile& tree, Setting& setting);

// The size limit of a working tree's file and of the files it names; larger ones are not read.
inline constexpr std::size_t k_largest_tree_file = std::size_t{1} << 20U;

}  // namespace trainctl::options
