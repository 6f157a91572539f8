// The configuration file of a working tree, which may have come with a stranger's repository: where
// it is looked for, whether it is accepted, and which settings it must not have.
#pragma once

#include <string>
#include <vector>

#include "base/environment.h"
#include "base/file/own_file.h"
#include "base/result.h"
#include "options/table/choices.h"
#include "options/table/setting.h"

namespace trainctl::options {

// The mode from --tree-config (`typed`; "" = not typed), else from the variables, the user's and
// the site's file. An unknown word means off.
TreeConfig tree_config(const std::string& typed, const std::vector<Setting>& settings);

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

// Code::usage for a setting whose row leaves it to the user alone.
Status check_tree_says(const Setting& setting);

// Resolves the paths in a setting; Code::usage when one leads out of the directory of `tree`, or to
// anything but a regular file of this user or root. Pins what they lead to: the content that was
// checked is the one that is shown, agreed to and used.
Status keep_in_tree(PinnedFiles& files, const TreeFile& tree, Setting& setting);

// Lists the settings of the working tree's file, for a notice: "image=torch:1, env"; "" =
// nothing. Values are shown, since a name or a limit can be a surprise, but not those that need
// consent: they may hold a secret, and the user read them when agreeing.
std::string set_by_tree(const std::vector<Setting>& defaults);

// The size limit of a working tree's file and of the files it names; larger ones are not read.
inline constexpr std::size_t k_largest_tree_file = std::size_t{1} << 20U;

}  // namespace trainctl::options
