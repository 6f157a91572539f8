// Finds where an output goes, through no link that another user has laid.
#pragma once

#include <string>
#include <vector>

#include "base/file/descriptor.h"
#include "base/result.h"

namespace trainctl {

// A directory that is held open and a name in it, so that nothing put on the way afterwards can
// lead elsewhere. The name is not a link's when it is found; open it with O_NOFOLLOW.
struct OutputPlace {
  Descriptor directory;
  std::string name;
  bool is_open_file = false;  // below /proc/PID/fd: a link that only the kernel can follow

  // O_NOFOLLOW and AT_SYMLINK_NOFOLLOW, or 0 where the name is a link after all.
  int open_flags() const;
  int stat_flags() const;
};

// The treatment of missing directories on the way.
enum class NewDirectories { none, as_umask_says, closed_to_others };

// Links on the way, the last name's included, are followed when they belong to this user or root;
// any other is refused by its name, and so is another user's named pipe. Names nothing and creates
// no file.
Result<OutputPlace> find_output_place(const std::string& path, NewDirectories missing);

}  // namespace trainctl
