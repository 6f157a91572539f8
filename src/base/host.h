// The eight functions that each operating system does in its own way: host_linux.cpp or
// host_posix.cpp, as CMake's TRAINCTL_HOST says. Everything else of the core is plain POSIX.
#pragma once

#include <optional>
#include <string>

#include <sys/stat.h>
#include <sys/types.h>

#include "base/file/descriptor.h"
#include "base/text/time.h"

namespace trainctl::host {

enum class Links { followed, refused };

// Opens a directory to go on from it: where the system can, for one that may be entered but not
// listed, too. `at` may be AT_FDCWD. Empty on failure; see errno.
Descriptor open_directory(int at, const std::string& name, Links links);

// A name in a directory, looked at without following it.
struct Seen {
  struct stat facts {};
  std::string target;         // of a link: exactly the link whose owner `facts` tells
  bool is_open_file = false;  // a link whose text is no path, such as "pipe:[4711]"
};
// nullopt on failure; see errno.
std::optional<Seen> look_at(int at, const std::string& name);

// The path of an opened file, with links resolved; `path` is what was opened. Of a file that was
// replaced since, its path before.
std::string opened_path(int fd, const std::string& path);

// Returns the disk space of a file's first `end` bytes, which are not read again. False where the
// system cannot; the space is free when the file is closed.
bool return_space(int file, std::uint64_t end);

// Time since the machine started, also while it slept.
Duration since_boot();

// A descriptor that becomes readable when `fd` has something to read, or, without `input`, when
// its reader has gone. It leaves `fd` as it is for other processes that share it. Empty where `fd`
// or the system has no such thing, or too many files are open: the caller asks poll() then.
Descriptor watch(int fd, bool input);

struct ProcessFacts {
  char state = 'Z';
  pid_t parent = 0;
  pid_t group = 0;
  unsigned long long start = 0;  // in clock ticks since the boot
  unsigned long long ticks = 0;  // CPU time of itself and of the children that it has waited for

  bool is_running() const { return state != 'Z' && state != 'X'; }
};
// The facts of a process, which may be a zombie; nullopt when there is none, or none can be known.
std::optional<ProcessFacts> process_facts(pid_t pid);

// Makes a TCP connection fail when its packets (ours, or probes while it is idle) have not been
// acknowledged for `limit`. Has no effect on a Unix socket, which does not need it.
void find_dead_path(int socket, Duration limit);

}  // namespace trainctl::host
