// The configuration file of a working tree, which may have come with a stranger's repository: where
// it is looked for, whether it is taken, and what it must not say.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "cli/context.h"
#include "cli/options/setting.h"

namespace trainctl::cli {

enum class TreeConfig {
  on,
  off,      // as if there were none
  trusted,  // the user agrees to what it says, unseen
};
// --tree-config, else what the variables, the user's and the site's file say. What is no such word
// is off.
TreeConfig tree_config(const Context& context, const std::vector<Setting>& settings);

struct TreeFile {
  std::string path;     // as it is found; "" = there is no place for one
  std::string refused;  // "it belongs to another user": why it is not taken; "" = it may be
  bool exists = false;
};
// The nearest `.trainctl.yaml` from the working directory up to the root of its repository (a
// `.git` marks it), else up to the home directory when it lies below it; elsewhere the working
// directory's own. Taken is a regular file of this user or root, in a directory of theirs, that no
// symbolic link brings in from elsewhere.
TreeFile find_tree_file(const Context& context);

// Only commands that read or submit listen to a working tree.
bool hears_working_tree(Effect effect);

// What the setting's row leaves to the user alone: Code::usage.
Status check_tree_says(const Setting& setting);

// Follows the paths of a setting that has them to where they lead: Code::usage when that is out of
// the directory of `tree`, or not a regular file of this user or root.
Status keep_in_tree(Files& files, const TreeFile& tree, Setting& setting);

// Of a file of the working tree or one it names; more is not read.
inline constexpr std::size_t k_largest_tree_file = std::size_t{1} << 20U;

}  // namespace trainctl::cli
