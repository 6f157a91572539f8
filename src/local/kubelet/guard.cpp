// Forks guards, and starts the container's program below them.
#include "local/kubelet/guard.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/loop/processes.h"
#include "base/text/text.h"
#include "local/kubelet/exec_order.h"
#include "local/kubelet/guard_watch.h"
#include "local/kubelet/process_control.h"

namespace trainctl::local {
namespace {

std::string path_of(const std::vector<std::string>& environment) {
  for (const std::string& variable : environment) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
}

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

struct Program {
  std::string path;
  std::string fault;  // message as runc words it
};
Program find_program(const std::string& name, const std::vector<std::string>& environment) {
  const auto fault = [&name](std::string_view why) {
    return Program{"", cat("exec: \"", name, "\": ", why)};
  };
  if (name.find('/') == std::string::npos) {
    for (const std::string& directory : split(path_of(environment), ':')) {
      const std::string path = cat(directory.empty() ? "." : directory, "/", name);
      if (is_program(path)) return {path, ""};
    }
    return fault("executable file not found in $PATH");
  }
  struct stat info {};
  if (::stat(name.c_str(), &info) != 0)
    return fault(cat("stat ", name, ": no such file or directory"));
  if (S_ISDIR(info.st_mode)) return fault("is a directory");
  if (!is_program(name)) return fault("permission denied");
  return {name, ""};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

// Gives every signal its default action, and blocks none.
void default_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

std::string execute(const ProgramStart& start) {
  const std::string& directory = start.working_directory;
  if (!directory.empty() && ::chdir(directory.c_str()) != 0) {
    return cat("chdir to cwd (\"", directory,
               "\") set in config.json failed: ", lower(std::strerror(errno)));
  }
  const Program program = find_program(start.argv[0], start.environment);
  if (!program.fault.empty()) return program.fault;
  // Set last: entering a user namespace may clear it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.guard) return "its guard is gone";
  default_signals();
  const auto argv = pointers(start.argv);
  const auto environment = pointers(start.environment);
  ::execve(program.path.c_str(), argv.data(), environment.data());
  return cat("exec ", program.path, ": ", lower(std::strerror(errno)));
}

std::string exit_text(const ContainerExit& exit) {
  const auto nanoseconds = [](Time time) { return time.time_since_epoch().count(); };
  std::string text = cat("code=", exit.code, "\nsignal=", exit.signal,
                         "\nfinished=", nanoseconds(exit.finished), "\n");
  if (exit.started) text += cat("started=", nanoseconds(*exit.started), "\n");
  if (exit.log_is_cut) text += "cut=1\n";
  if (exit.out_of_memory) text += "oom=1\n";
  if (!exit.error.empty()) text += cat("error=", printable_line(exit.error), "\n");
  return text;
}

std::optional<ContainerExit> parse_exit(std::string_view text) {
  if (!text.ends_with('\n')) return std::nullopt;
  ContainerExit exit;
  const auto time_of = [](const std::string& value) {
    return Time(Duration(std::strtoll(value.c_str(), nullptr, 10)));
  };
  for (const std::string& line : split(text, '\n')) {
    const auto [name, value, found] = split_once(line, '=');
    if (name == "code") exit.code = std::atoi(value.c_str());
    if (name == "signal") exit.signal = std::atoi(value.c_str());
    if (name == "finished") exit.finished = time_of(value);
    if (name == "started") exit.started = time_of(value);
    if (name == "error") exit.error = value;
    if (name == "cut") exit.log_is_cut = true;
    if (name == "oom") exit.out_of_memory = true;
  }
  return exit;
}

bool claim_attempt(const std::string& directory, std::string_view text) {
  const std::string path = cat(directory, "/", k_guard_file);
  const std::string temporary = cat(path, ".", ::getpid());
  if (!write_file(temporary, text)) return false;
  const bool first = ::link(temporary.c_str(), path.c_str()) == 0;
  ::unlink(temporary.c_str());
  return first;
}

namespace {

constexpr std::string_view k_no_container =
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc "
    "create failed: unable to start container process: ";
constexpr std::string_view k_during_init = "error during container init: ";

// Does everything between fork and exec in the container's own process; the return value says why
// exec did not happen.
std::string become_program(const GuardOrder& order, pid_t guard) {
  ::setsid();
  ::umask(022);
  const auto fault = enter_mounts(order.mounts, cat(order.directory, "/", k_stage));
  if (!fault.empty()) return fault;
  return execute({order.argv, order.environment, order.working_directory, guard});
}

void keep_only(int fd, int as) {
  if (fd != as) ::dup2(fd, as);
  ::fcntl(as, F_SETFD, FD_CLOEXEC);
  ::syscall(SYS_close_range, as + 1, ~0U, 0U);
  const int null = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2; ++standard) ::dup2(null, standard);
  if (null > 2) ::close(null);
}

// The FIFO through which attached clients write to the program. The guard keeps it open, so that
// the program's stdin does not end between two of them.
int make_input(const GuardOrder& order) {
  if (!order.has_input) return -1;
  const std::string path = cat(order.directory, "/", k_input_file);
  ::mkfifo(path.c_str(), 0600);
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC);
}

struct ContainerStart {
  pid_t pid = 0;
  int output = -1;
  int input = -1;
  std::string fault;
};

ContainerStart start_program(const GuardOrder& order) {
  int output[2];
  int fault[2];
  if (::pipe2(output, O_CLOEXEC) != 0 || ::pipe2(fault, O_CLOEXEC) != 0) {
    return {0, -1, -1, std::strerror(errno)};
  }
  const int input = make_input(order);
  const int read_end =
      input < 0 ? -1 : ::open(cat("/proc/self/fd/", input).c_str(), O_RDONLY | O_CLOEXEC);
  const pid_t guard = ::getpid();
  // Skips the fork handlers: the event loop's would close descriptors by numbers that are pipes of
  // the guard now.
  const pid_t child = ::_Fork();
  if (child == 0) {
    if (read_end >= 0) ::dup2(read_end, 0);
    ::dup2(output[1], 1);
    ::dup2(output[1], 2);
    const std::string why = become_program(order, guard);
    const bool reported = ::write(fault[1], why.data(), why.size()) >= 0;
    end_child(reported ? 128 : 127);
  }
  ::close(output[1]);
  ::close(fault[1]);
  if (read_end >= 0) ::close(read_end);
  ContainerStart start{child, output[0], input, ""};
  if (child < 0) start.fault = std::strerror(errno);
  char buffer[4096];
  ssize_t size = 0;
  while ((size = ::read(fault[0], buffer, sizeof buffer)) > 0 || (size < 0 && errno == EINTR)) {
    if (size > 0) start.fault.append(buffer, static_cast<std::size_t>(size));
  }
  ::close(fault[0]);
  return start;
}

[[noreturn]] void be_guard(const GuardOrder& order, int ready) {
  constexpr int k_ready_descriptor = 3;
  keep_only(ready, k_ready_descriptor);
  ::setsid();
  ::prctl(PR_SET_NAME, "trainctl-guard");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const std::string claim = cat(mark_text(process_mark(::getpid()).value_or(ProcessMark{})), "\n");
  // A daemon has claimed this attempt, because it took this guard for dead before it began.
  if (!claim_attempt(order.directory, claim)) end_child(1);
  // A container that never ran has an empty log.
  const std::string log = cat(order.directory, "/", k_log_file);
  ::close(::open(log.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  const int signals = guard_signals();
  const ContainerStart start = start_program(order);
  if (!start.fault.empty()) {
    ContainerExit exit;
    exit.code = 128;
    exit.finished = std::chrono::system_clock::now();
    const bool before_exec = !start.fault.starts_with("exec: ");
    exit.error = cat(k_no_container, before_exec ? k_during_init : "", start.fault, ": unknown");
    keep_writing(cat(order.directory, "/", k_exit_file), exit_text(exit));
    end_child(0);
  }
  watch_program(order, {start.pid, start.output, start.input, signals, k_ready_descriptor});
  end_child(0);
}

}  // namespace

Result<StartedGuard> start_guard(const GuardOrder& order) {
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) {
    return Error{Code::error, cat("no pipe: ", std::strerror(errno))};
  }
  // No signal may reach the child while it still has the daemon's handlers.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    default_signals();
    be_guard(order, ready[1]);
  }
  const int fault = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(ready[1]);
  if (child < 0) {
    ::close(ready[0]);
    return Error{Code::error, cat("no process: ", std::strerror(fault))};
  }
  return StartedGuard{child, ready[0]};
}

}  // namespace trainctl::local
