// The shell script that prints what the processes of a container do, for read_probe().
#pragma once

#include <string>
#include <vector>

namespace trainctl::job {

// The command of the probe. `mark` begins its own lines, and must be unguessable, so that no text
// of a program passes for one. It changes nothing in the container, and leaves itself out.
// `tool` is the py-spy to use: "" for that of the image; an absolute path; or a number of bytes
// that the probe reads from its stdin into a new file below /tmp, which it removes at its end.
std::vector<std::string> probe_command(const std::string& mark, const std::string& tool = "");

// The command that sends SIGUSR1 to one process after another, and gives each two seconds to
// answer: a traceback does not name its process, and several share one log. It looks again first
// whether the process handles the signal. It prints "MARK signalled PID SECOND" for each that got
// it, by the node's clock since 1970.
std::vector<std::string> signal_command(const std::string& mark, const std::vector<int>& pids);

}  // namespace trainctl::job
