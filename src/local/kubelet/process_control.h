// Finds the descendants of a process, and ends processes that a file names.
#pragma once

#include <vector>

#include <sys/types.h>

#include "base/file/descriptor.h"
#include "base/loop/processes.h"

namespace trainctl::local {

// False when there is no such process, or only a zombie.
bool is_running(pid_t pid);

// Ends a forked child that executes no program, without the daemon's exit handlers.
[[noreturn]] void end_child(int status);

// All descendants, in whatever session they are.
std::vector<pid_t> descendants(pid_t of);

// A pidfd of exactly the marked process; empty when it is gone.
Descriptor open_process(const ProcessMark& mark);
// False when the marked process is gone; no other process gets the signal.
bool send_signal(const ProcessMark& mark, int signal);

// Kills what a container's program leaves when its guard was killed: its process group, and every
// process that has the guard's pipe as stdout or stderr. Each process is verified before its
// SIGKILL.
void kill_remains(const ProcessMark& program, ino_t output);

}  // namespace trainctl::local
