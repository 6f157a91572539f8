// A process as a file names it: after a reboot, or seen from another container, its number may be
// somebody else's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "local/descriptor.h"

namespace trainctl::local {

struct ProcessMark {
  pid_t pid = 0;
  unsigned long long start = 0;  // in ticks since the boot (/proc/PID/stat, field 22)
  std::string world;             // the boot, and the namespace in which the number counts
};

// Also of a process that has ended and was not waited for; nullopt when there is none.
std::optional<ProcessMark> mark_of(pid_t pid);
std::string mark_text(const ProcessMark& mark);  // "PID START WORLD"
std::optional<ProcessMark> parse_mark(std::string_view text);

// Runs, and is the very process that was marked.
bool is_alive(const ProcessMark& mark);
// A pidfd of the very process that was marked; empty when it has gone.
Descriptor open_process(const ProcessMark& mark);
// False when the process that was marked has gone: no other gets the signal.
bool send_signal(const ProcessMark& mark, int signal);

// What a container's program leaves when its guard was killed: its process group, and whoever holds
// the guard's pipe as stdout or stderr. Gets SIGKILL, each process once it was verified.
void kill_remains(const ProcessMark& program, ino_t output);

}  // namespace trainctl::local
