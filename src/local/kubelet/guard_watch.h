// What a guard does while its container runs: keep the output, pass on signals, mind the daemon.
#pragma once

#include <string>

#include <sys/types.h>

#include "local/kubelet/guard.h"

namespace trainctl::local {

struct GuardedProcess {
  pid_t pid = 0;
  int output = -1;   // stdout and stderr of the program
  int signals = -1;  // guard_signals()
  int ready = -1;    // to be closed when the start is on record
};

// Blocks the signals a guard acts on and gives the descriptor they arrive at.
int guard_signals();

// Replaces a file in one step.
bool write_file(const std::string& path, std::string_view text);
// Takes room for a small file that will be written: a full disk then does not prevent it.
bool reserve_file(const std::string& path);
// Writes, and again for ten seconds when it fails.
void keep_writing(const std::string& path, const std::string& text);

// Returns when the program and all it left behind have ended and everything is on disk.
void watch_program(const GuardOrder& order, const GuardedProcess& process);

}  // namespace trainctl::local
