// The processes below a process.
#pragma once

#include <optional>
#include <vector>

#include <sys/types.h>

namespace trainctl::local {

// A process, distinguished from a later one with the same pid by its start time (/proc/PID/stat,
// field 22).
struct ProcessId {
  pid_t pid = 0;
  unsigned long long start = 0;
};
// nullopt when there is no such process, or only its remains.
std::optional<ProcessId> process_id(pid_t pid);

struct ProcessFacts {
  char state = 'Z';
  pid_t parent = 0;
  pid_t group = 0;
  unsigned long long start = 0;
};
// Also of a process that has ended and was not waited for.
std::optional<ProcessFacts> process_facts(pid_t pid);
// Every process that can be seen.
std::vector<pid_t> all_processes();

// Ends a forked child that execs nothing: without the daemon's handlers for a normal end.
[[noreturn]] void end_child(int status);

// Children, their children and so on, in whatever session they are.
std::vector<pid_t> descendants(pid_t of);

}  // namespace trainctl::local
