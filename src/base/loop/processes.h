// Finds the descendants of a process, and identifies a process in a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/file/descriptor.h"

namespace trainctl {

// A process, distinguished from a later one with the same pid by its start time (/proc/PID/stat,
// field 22).
struct ProcessId {
  pid_t pid = 0;
  unsigned long long start = 0;
};
// nullopt when there is no such process, or only a zombie.
std::optional<ProcessId> process_id(pid_t pid);

struct ProcessFacts {
  char state = 'Z';
  pid_t parent = 0;
  pid_t group = 0;
  unsigned long long start = 0;
  unsigned long long ticks = 0;  // CPU time of itself and of the children that it has waited for
};
// The facts of a process, which may be a zombie.
std::optional<ProcessFacts> process_facts(pid_t pid);

// Ends a forked child that executes no program, without the daemon's exit handlers.
[[noreturn]] void end_child(int status);

// All descendants, in whatever session they are.
std::vector<pid_t> descendants(pid_t of);

// Identifies a process in a file: after a reboot, or seen from another container, its PID may
// belong to another process.
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
