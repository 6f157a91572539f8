// The guard's work while its container runs: write the output, pass on signals, watch the daemon.
#pragma once

#include <string>

#include <sys/types.h>

#include "local/kubelet/guard.h"

namespace trainctl::local {

struct GuardedProcess {
  pid_t pid = 0;
  int output = -1;   // stdout and stderr of the program
  int input = -1;    // keeps its stdin from ending
  int signals = -1;  // guard_signals()
  int ready = -1;    // closed when the start is recorded
};

// Blocks the signals that a guard handles, and returns the descriptor they arrive at.
int guard_signals();

// Replaces a file atomically.
bool write_file(const std::string& path, std::string_view text);
// Reserves space for a small file that will be written, so that a full disk does not prevent it.
bool reserve_file(const std::string& path);
// Writes a file, and retries for ten seconds when that fails.
void keep_writing(const std::string& path, const std::string& text);

// Returns when the program and all processes it started have ended and everything is on disk.
void watch_program(const GuardOrder& order, const GuardedProcess& process);

}  // namespace trainctl::local
