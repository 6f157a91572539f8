// A container's volumes at its mount paths, in a private mount namespace: nothing is ever created
// outside of the daemon's directory.
#pragma once

#include <string>
#include <vector>

namespace trainctl::local {

struct Mount {
  std::string source;  // a directory or a file of this machine
  std::string target;  // absolute path in the container
  bool read_only = false;
};

// "" when this process may make mount namespaces (as root, or by an unprivileged user namespace);
// else the reason. Tries it in a child.
std::string why_no_mounts();

// For a child between fork and exec: gives it its own view of the file system. A target that is not
// there appears in a copy of the nearest directory above it, made of bind mounts on a tmpfs.
// `stage` is an empty directory. "" = done; else what failed, as a container runtime words it.
std::string enter_mounts(const std::vector<Mount>& mounts, const std::string& stage);

}  // namespace trainctl::local
