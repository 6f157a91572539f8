// The words of --tree-config.
#pragma once

#include "base/text/words.h"

namespace trainctl::cli {

// What becomes of the working tree's .trainctl.yaml.
enum class TreeConfig {
  on,
  off,      // the file is ignored
  trusted,  // the user agrees to all settings without seeing them
};

inline constexpr Word<TreeConfig> k_tree_configs[] = {
    {"on", TreeConfig::on}, {"off", TreeConfig::off}, {"trusted", TreeConfig::trusted}};

}  // namespace trainctl::cli
