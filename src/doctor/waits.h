// Says for what a process waits, from the functions in which Python and the kernel hold it.
#pragma once

#include <string>
#include <string_view>

#include "doctor/process.h"

namespace trainctl::job {

enum class Wait {
  unknown,
  runs,
  sleeps,
  lock,
  pipe,
  network,
  poll,
  child,
  storage,
  stopped,
  ended
};

Wait wait_of(const Process& process);
// True when it used much of a core in the second after the look, for whatever its main thread
// waits.
bool uses_cpu(const Process& process);
// "waits for a lock", "reads a pipe": what follows the name of a process.
std::string_view wait_words(Wait wait);
// "state D, storage", "state S, futex_wait_queue"; what the kernel says about the process.
std::string state_words(const Process& process);

// The collective in which the main thread is: "all_reduce"; "" = none, or there is no stack.
std::string_view collective_of(const Process& process);
// True when the main thread handles an error or leaves the program.
bool is_leaving(const Process& process);

// The name of a system call by which a wait is known, from its number; "" for others.
std::string_view syscall_name(std::string_view number, bool is_arm);

}  // namespace trainctl::job
