// Mounts a container's volumes at their paths in a private mount namespace: nothing is ever created
// outside the daemon's directory.
#pragma once

#include <string>
#include <vector>

namespace trainctl::local {

struct Mount {
  std::string source;  // a directory or a file of this machine
  std::string target;  // absolute path in the container
  bool read_only = false;
};

// "" when this process may create mount namespaces (as root, or through an unprivileged user
// namespace), else the reason. Tries it in a child.
std::string why_no_mounts();

// Called in a child between fork and exec: gives it its own view of the file system. A target that
// does not exist is created in a copy of its nearest existing parent directory, made of bind mounts
// on a tmpfs. `stage` is an empty directory. Returns "" on success, else the error as a container
// runtime words it.
std::string enter_mounts(const std::vector<Mount>& mounts, const std::string& stage);

}  // namespace trainctl::local
