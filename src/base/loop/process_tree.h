// Finds the descendants of a process.
#pragma once

#include <optional>
#include <vector>

#include <sys/types.h>

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
// All visible processes.
std::vector<pid_t> all_processes();

// Ends a forked child that executes no program, without the daemon's exit handlers.
[[noreturn]] void end_child(int status);

// All descendants, in whatever session they are.
std::vector<pid_t> descendants(pid_t of);

}  // namespace trainctl
