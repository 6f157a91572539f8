// A process of a replica as the probe of `doctor` saw it, read from what the probe printed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainctl::job {

struct Frame {
  std::string name, file;
  int line = 0;  // 0 = unknown
  bool operator==(const Frame&) const = default;
};

// Its texts are printable and bounded, whatever the program chose to show.
struct Process {
  int pid = 0;
  int parent = 0;
  std::string command;
  char state = '?';                // R, S, D, T, t, Z as in /proc; ? = unknown
  std::optional<int> cpu_percent;  // of a core, in the second after the look, by all its threads
  std::string wchan;             // the kernel's function in which it waits; "" = none or not shown
  std::string syscall;           // "read"; "" = none, not shown, or one that explains nothing
  std::string pipe;              // the pipe or FIFO from which it reads; "" = none
  std::string rank, local_rank;  // from its environment
  std::string dump;              // the file of PyTorch's flight recorder; "" = there is none
  std::vector<std::string> kernel;  // functions of the kernel, innermost first
  std::vector<Frame> stack;         // of Python's main thread, innermost first
  std::string no_stack;             // why a Python process has none
  bool handles_signal = false;      // SIGUSR1 runs a handler of its own
};

struct ProbeAnswer {
  std::vector<Process> processes;  // parents before their children
  bool is_complete = false;        // the probe came to its end
};

// Reads an answer. Only lines that begin with the mark are the probe's own words. Keeps at most a
// thousand processes.
ProbeAnswer read_probe(std::string_view text, std::string_view mark);

// The main thread's stack in the text of `py-spy dump` or of Python's faulthandler, at most 64
// frames, innermost first; empty when there is none.
std::vector<Frame> read_stack(std::string_view text);

// "data.py:88 read_shard".
std::string frame_words(const Frame& frame);
// The innermost frame that belongs to no library, else the innermost one; nullptr without a stack.
const Frame* own_frame(const std::vector<Frame>& stack);

// True for a process without a stack that handles SIGUSR1 and is able to answer now. Any other
// process would end by the signal, or get it much later.
bool can_be_asked(const Process& process);
// True for a line of a traceback as faulthandler writes it.
bool is_traceback_line(std::string_view line);

// True for a program that starts others, such as mpirun or torchrun.
bool is_launcher(const Process& process);

// The processes that train: one for each LOCAL_RANK, else the first Python program that is not a
// launcher, else the first program that is no shell. Empty when there are no processes.
std::vector<Process> training_processes(const ProbeAnswer& answer);

}  // namespace trainctl::job
