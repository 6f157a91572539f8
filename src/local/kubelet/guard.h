// The guard of a container attempt: a separate process that starts the container's program, writes
// its output and its end to disk, and outlives the daemon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/loop/processes.h"
#include "base/result.h"
#include "base/text/time.h"
#include "local/kubelet/log_files.h"
#include "local/kubelet/mounts.h"

namespace trainctl::local {

// A process that becomes a program in a container.
struct ProgramStart {
  const std::vector<std::string>& argv;
  const std::vector<std::string>& environment;  // "NAME=value"
  const std::string& working_directory;
  pid_t guard = 0;  // this process's parent, which the program must not outlive
};
// Returns only when the program could not be executed, with the reason.
std::string execute(const ProgramStart& start);

// Everything a guard needs. It is forked from the daemon and executes no other program.
struct GuardOrder {
  std::string directory;                 // the attempt's directory, which exists and is empty
  std::vector<std::string> argv;         // never a shell
  std::vector<std::string> environment;  // "NAME=value"
  std::string working_directory;
  std::vector<Mount> mounts;
  off_t log_file_size = k_log_file_size;  // approximate size of each file of the log
  int log_files = k_log_files;
  std::int64_t memory_limit = 0;  // bytes; 0 = none
  bool has_input = false;         // its stdin is a FIFO of its directory, not /dev/null

  std::string lock_file;             // unlocked = there is no daemon; "" = watch no daemon
  std::vector<std::string> program;  // the daemon's command line, started when there is none
  std::vector<std::string> program_environment;
};

// The files of an attempt's directory.
inline constexpr char k_guard_file[] = "guard";  // a ProcessMark: the owner of the attempt
// "NANOSECONDS PIPE MARK": when the program started (since 1970), the inode of its output pipe, and
// its ProcessMark.
inline constexpr char k_started_file[] = "started";
inline constexpr char k_exit_file[] = "exit";  // the exit record, one "name=value" per line
inline constexpr char k_log_file[] = "log";    // CRI log format, and log.1, log.2, …
inline constexpr char k_stage[] = "stage";     // an empty directory in which mounts are assembled

struct ContainerExit {
  int code = 0;                 // 128 + signal for a killed program, as in a container runtime
  int signal = 0;               // 0 = it was not killed
  std::optional<Time> started;  // nullopt = it never ran
  Time finished;
  std::string error;           // why it never ran, as a container runtime words it
  bool log_is_cut = false;     // its last lines could not be written to disk
  bool out_of_memory = false;  // it was killed because it exceeded its memory limit
};
std::string exit_text(const ContainerExit& exit);
std::optional<ContainerExit> parse_exit(std::string_view text);

inline constexpr char k_nobody[] = "0 0\n";  // claimed by a daemon, so that no guard starts
// Creates the guard file; false when it exists: each attempt has one owner for ever.
bool claim_attempt(const std::string& directory, std::string_view text);

struct StartedGuard {
  pid_t pid = 0;   // a child of this process
  int ready = -1;  // becomes readable when the program has started or has failed to start
};
// Starts a guard. SIGTERM to the guard is passed on to the program, SIGUSR1 kills its whole tree.
Result<StartedGuard> start_guard(const GuardOrder& order);

}  // namespace trainctl::local
