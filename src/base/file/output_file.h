// Writes a file where an output goes: replaced as a whole, or appended to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

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

// The treatment of missing directories on the path.
enum class NewDirectories { none, as_umask_says, closed_to_others };

// Follows links on the path, the last name included, that belong to this user or root. Refuses
// any other link and another user's named pipe; the error names it. Creates no file.
Result<OutputPlace> find_output_place(const std::string& path, NewDirectories missing);

// Code::error, with the system's words for the errno.
Error write_failure(const std::string& path, int error_number);

// Replaces the file by way of a temporary one beside it. The file gets exactly `mode`, regardless
// of the umask; without `mode`, a new file gets the mode that the umask leaves. `path` is the name
// for messages.
Status replace_file(const std::string& path, const OutputPlace& place, std::optional<mode_t> mode,
                    std::string_view content);

// Appends to the file. When the place is a descriptor that this process was started with, writes to
// that instead. `create` is O_CREAT, or 0 for a file that must exist: a device, a pipe.
Status append_to_file(const std::string& path, const OutputPlace& place, int create,
                      std::string_view content);

// Code::error unless a file could be made there; leaves nothing.
Status try_file(const std::string& path, const OutputPlace& place);

}  // namespace trainctl
