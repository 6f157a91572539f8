// Copies from a container in two ways: a file, or the content of a directory.
#pragma once

#include <map>
#include <string>
#include <unordered_set>

#include "base/file/checksum.h"
#include "base/file/extraction_root.h"
#include "transfer/copy.h"

namespace trainctl::work {

// A path in the container, and the object there.
struct Fetching {
  std::string path;
  RemoteFacts facts;
};

// Fetches the rest of the file that the tree has begun, in as many attempts as it takes, and adds
// it to `sum` unless that is null. Fails when the file has changed.
Status fetch_rest(Copying& copying, ExtractionRoot& tree, const Fetching& fetching, Checksum* sum);
// Fetches the whole file, under this name in the tree.
Status fetch_file(Copying& copying, ExtractionRoot& tree, const Fetching& fetching,
                  const std::string& name, bool verify);
// Fetches the content of the directory. `present`: paths of files that are here already, and are
// not copied.
Status fetch_directory(Copying& copying, ExtractionRoot& tree, const Fetching& fetching,
                       std::unordered_set<std::string> present = {});

// A file, link or directory in a listing.
struct RemoteEntry {
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  unsigned mode = 0;  // with the type
  bool is_file() const;
  bool is_directory() const;
};
// Lists everything at and below a path there. Entries of a directory begin with "./".
// Code::not_found when the container has no program that can list it.
using RemoteListing = std::map<std::string, RemoteEntry>;
Result<RemoteListing> list_remote(Copying& copying, const Fetching& fetching);

// A copy into a directory of this machine: a directory's content, or a file under its own name.
// Files already here, by size and time, are not copied again.
struct FetchOrder {
  std::string remote;  // an absolute path
  std::string directory;
  std::string listing;  // the command that lists what there is, for hints
  bool verify = true;   // compare checksums
};
Status fetch_into(Shell& shell, const FetchOrder& order);

}  // namespace trainctl::work
