// Identifies a process in a file: after a reboot, or seen from another container, its PID may
// belong to another process.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/file/descriptor.h"

namespace trainctl {

struct ProcessMark {
  pid_t pid = 0;
  unsigned long long start = 0;  // in clock ticks since the boot (/proc/PID/stat, field 22)
  std::string world;             // the boot ID and the PID namespace
};

// The mark of a process, which may be a zombie; nullopt when there is none.
std::optional<ProcessMark> process_mark(pid_t pid);
std::string mark_text(const ProcessMark& mark);  // "PID START WORLD"
std::optional<ProcessMark> parse_mark(std::string_view text);

// True when exactly the marked process is running.
bool is_alive(const ProcessMark& mark);
// A pidfd of exactly the marked process; empty when it is gone.
Descriptor open_process(const ProcessMark& mark);
// False when the marked process is gone; no other process gets the signal.
bool send_signal(const ProcessMark& mark, int signal);

// Kills what a container's program leaves when its guard was killed: its process group, and every
// process that has the guard's pipe as stdout or stderr. Each process is verified before its
// SIGKILL.
void kill_remains(const ProcessMark& program, ino_t output);

}  // namespace trainctl
