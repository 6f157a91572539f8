// The guard of a container attempt: a process of its own that starts the container's program, keeps
// its output and its end on disk, and outlives the daemon.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "base/time.h"
#include "local/kubelet/log_files.h"
#include "local/kubelet/mounts.h"
#include "local/kubelet/process_mark.h"

namespace trainctl::local {

// Everything a guard needs, since it is forked from the daemon and execs nothing.
struct GuardOrder {
  std::string directory;                 // of the attempt; exists and is empty
  std::vector<std::string> argv;         // never a shell
  std::vector<std::string> environment;  // "NAME=value"
  std::string working_directory;
  std::vector<Mount> mounts;
  off_t log_file_size = k_log_file_size;  // of each file of the log, about

  std::string lock_file;             // free = there is no daemon; "" = nobody to watch
  std::vector<std::string> program;  // its command line, started when there is no daemon
  std::vector<std::string> program_environment;
};

// The files of an attempt's directory.
inline constexpr char k_guard_file[] = "guard";  // a ProcessMark: who has claimed the attempt
inline constexpr char k_started_file[] =
    "started";                                 // "NANOSECONDS PIPE MARK": the program runs since
inline constexpr char k_exit_file[] = "exit";  // the end, one "name=value" a line
inline constexpr char k_log_file[] = "log";    // CRI log format, and log.1, log.2, …
inline constexpr char k_stage[] = "stage";     // empty: where mounts are put together

struct ContainerExit {
  int code = 0;                 // 128 + signal for a killed program, as a container runtime has it
  int signal = 0;               // 0 = it ended by itself
  std::optional<Time> started;  // nullopt = it never ran
  Time finished;
  std::string error;        // why it never ran, as a container runtime words it
  bool log_is_cut = false;  // its last lines could not be written
};
std::string exit_text(const ContainerExit& exit);
std::optional<ContainerExit> parse_exit(std::string_view text);

inline constexpr char k_nobody[] = "0 0\n";  // claimed by a daemon, so that no guard begins
// Makes the guard file; false when there is one: each attempt has one owner for ever.
bool claim_attempt(const std::string& directory, std::string_view text);

struct StartedGuard {
  pid_t pid = 0;   // a child of this process
  int ready = -1;  // gets readable when the program has started or has failed to
};
// Signals: SIGTERM goes to the program, SIGUSR1 kills its whole tree.
Result<StartedGuard> start_guard(const GuardOrder& order);

}  // namespace trainctl::local
