// Resolves an output path without following a link that another user created.
#pragma once

#include <string>
#include <vector>

#include "base/file/descriptor.h"
#include "base/result.h"

namespace trainctl {

// An open directory and a name in it, so that a link created on the path later cannot redirect the
// output. The name was not a link when it was resolved; open it with O_NOFOLLOW.
struct OutputPlace {
  Descriptor directory;
  std::string name;
  bool is_open_file = false;  // below /proc/PID/fd: a link that only the kernel can follow

  // O_NOFOLLOW and AT_SYMLINK_NOFOLLOW, or 0 for a link that only the kernel can follow.
  int open_flags() const;
  int stat_flags() const;
  // The descriptor behind a name below this process's own /proc/self/fd, /dev/stdout included, that
  // the process was started with; -1 = none. To open the name anew would begin at offset 0.
  int inherited_descriptor() const;
};

// What to do about missing directories on the path.
enum class NewDirectories { none, as_umask_says, closed_to_others };

// Follows links on the path, the last name included, that belong to this user or root. Refuses
// any other link and another user's named pipe; the error names it. Creates no file.
Result<OutputPlace> find_output_place(const std::string& path, NewDirectories missing);

}  // namespace trainctl
