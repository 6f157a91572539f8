// The two ways from the container: a file, and what a directory holds.
#pragma once

#include <string>

#include "base/placed_tree.h"
#include "base/sha256.h"
#include "cli/remote/copy.h"

namespace trainctl::cli {

// What stands at the path in the container.
struct Fetching {
  std::string path;
  RemoteFacts facts;
};

// The rest of the file that the tree has begun, in as many attempts as it takes; added to `sum`
// unless that is null. Fails when the file is not what it was.
Status fetch_rest(Copying& copying, PlacedTree& tree, const Fetching& fetching, Sha256* sum);
// The whole file, under this name in the tree.
Status fetch_file(Copying& copying, PlacedTree& tree, const Fetching& fetching,
                  const std::string& name, bool verify);
Status fetch_directory(Copying& copying, PlacedTree& tree, const Fetching& fetching);

}  // namespace trainctl::cli
