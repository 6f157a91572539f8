// Identifies a process in a file or on an object.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace trainctl {

// After a reboot, or seen from another container, the PID of a process may belong to another one.
struct ProcessMark {
  pid_t pid = 0;
  unsigned long long start = 0;  // in clock ticks since the boot
  std::string world;             // the boot ID and the PID namespace
};

// The mark of a process, which may be a zombie; nullopt when there is none, or on a system that
// does not tell.
std::optional<ProcessMark> process_mark(pid_t pid);
std::string mark_text(const ProcessMark& mark);  // "PID START WORLD"
std::optional<ProcessMark> parse_mark(std::string_view text);

// True when the mark was made in this boot of this machine, and in this container.
bool is_of_this_world(const ProcessMark& mark);
// True when exactly the marked process is running.
bool is_alive(const ProcessMark& mark);

}  // namespace trainctl
