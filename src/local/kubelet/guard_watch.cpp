// The guard's loop. It uses no library, because it runs in a fork of the daemon.
#include "local/kubelet/guard_watch.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop/processes.h"
#include "base/text/text.h"
#include "local/kubelet/daemon_watch.h"
#include "local/kubelet/guard_door.h"
#include "local/kubelet/memory_limit.h"
#include "local/kubelet/rotating_log.h"

namespace trainctl::local {

int guard_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGUSR1, SIGCHLD}) sigaddset(&set, number);
  ::sigprocmask(SIG_SETMASK, &set, nullptr);
  for (const int number : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_IGN);
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool write_file(const std::string& path, std::string_view text) {
  const std::string temporary = cat(path, ".tmp");
  // The file is not truncated first, because that would release its reserved space.
  const int fd = ::open(temporary.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                     ::ftruncate(fd, static_cast<off_t>(text.size())) == 0;
  ::close(fd);
  return whole && ::rename(temporary.c_str(), path.c_str()) == 0;
}

bool reserve_file(const std::string& path) {
  constexpr off_t k_room = 4096;
  const int fd = ::open(cat(path, ".tmp").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const int fault = ::posix_fallocate(fd, 0, k_room);
  ::close(fd);
  errno = fault;
  return fault == 0;
}

void keep_writing(const std::string& path, const std::string& text) {
  constexpr int k_write_attempts = 10;
  for (int attempt = 0; attempt < k_write_attempts && !write_file(path, text); ++attempt) {
    // The pod has been removed together with its directory, so nobody needs the file.
    if (errno == ENOENT) return;
    ::sleep(1);
  }
}

namespace {

Time now() {
  return std::chrono::system_clock::now();
}

class Watch {
 public:
  Watch(const GuardOrder& order, const GuardedProcess& process)
      : order_(order),
        process_(process),
        log_(order),
        daemon_(order),
        memory_(order.memory_limit),
        door_(order, process.pid) {
    exit_.started = now();
  }
  void run();

 private:
  void record_start();
  void wait_for_events();
  void take_signals();
  void reap();
  bool read_output();
  void end_tree();
  void end_input();
  void keep_memory_limit();
  void finish_log();
  // True when the container is being ended: a full disk may delay lines, but not the end.
  bool may_drop_lines() const { return asked_ || ending_; }
  bool may_read() const { return process_.output >= 0 && log_.is_flushed(); }

  const GuardOrder& order_;
  GuardedProcess process_;
  RotatingLog log_;
  DaemonWatch daemon_;
  MemoryLimit memory_;
  GuardDoor door_;
  ContainerExit exit_;
  bool ended_ = false;   // the container's own program has ended
  bool asked_ = false;   // it was sent SIGTERM
  bool ending_ = false;  // it is being killed with all its descendants
  bool alone_ = false;   // no process is left
};

void Watch::record_start() {
  const auto since = exit_.started->time_since_epoch().count();
  // Marked before the process can have been reaped.
  const auto program = process_mark(process_.pid).value_or(ProcessMark{process_.pid, 0, "unknown"});
  struct stat pipe {};
  ::fstat(process_.output, &pipe);
  keep_writing(cat(order_.directory, "/", k_started_file),
               cat(since, " ", pipe.st_ino, " ", mark_text(program), "\n"));
  ::close(process_.ready);
}

void Watch::take_signals() {
  signalfd_siginfo info{};
  while (::read(process_.signals, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGTERM) asked_ = true;
    if (info.ssi_signo == SIGTERM && !ended_) ::kill(process_.pid, SIGTERM);
    if (info.ssi_signo == SIGUSR1) ending_ = true;
  }
}

void Watch::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid != process_.pid) {
      door_.reaped(pid, status);
      continue;
    }
    ended_ = true;
    exit_.finished = now();
    exit_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    exit_.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    // It may have ended by itself a moment before it was killed.
    exit_.out_of_memory = exit_.out_of_memory && exit_.signal == SIGKILL;
  }
  alone_ = pid < 0 && errno == ECHILD;
}

void Watch::end_tree() {
  if (!ended_) ::kill(-process_.pid, SIGKILL);
  for (const pid_t pid : descendants(::getpid())) ::kill(pid, SIGKILL);
}

void Watch::end_input() {
  if (process_.input >= 0) ::close(std::exchange(process_.input, -1));
}

// As the kernel does for a container: all of its processes are killed.
void Watch::keep_memory_limit() {
  if (ended_ || ending_ || !memory_.is_exceeded_below(::getpid())) return;
  exit_.out_of_memory = true;
  ending_ = true;
}

// False when there was nothing to read.
bool Watch::read_output() {
  if (!may_read()) return false;
  char buffer[64 * 1024];
  const ssize_t size = ::read(process_.output, buffer, sizeof buffer);
  if (size < 0) return errno == EINTR;
  if (size == 0) {
    ::close(process_.output);
    process_.output = -1;
    return false;
  }
  log_.take({buffer, static_cast<std::size_t>(size)});
  return true;
}

void Watch::finish_log() {
  bool written = log_.finish();
  while (!written && !may_drop_lines()) {
    ::sleep(1);
    take_signals();
    written = log_.finish();
  }
  exit_.log_is_cut = !written;
}

void Watch::wait_for_events() {
  pollfd watched[] = {{process_.signals, POLLIN, 0},
                      {may_read() ? process_.output : -1, POLLIN, 0},
                      {door_.descriptor(), POLLIN, 0}};
  constexpr int k_running_tick = 1000;
  constexpr int k_ending_tick = 20;
  ::poll(watched, std::size(watched), ended_ || ending_ ? k_ending_tick : k_running_tick);
}

void Watch::run() {
  record_start();
  while (true) {
    wait_for_events();
    take_signals();
    reap();
    if (ended_ || ending_) door_.close();
    if (door_.serve() == GuardDoor::Asked::end_of_input) end_input();
    if (!log_.is_flushed()) log_.flush();
    const bool more = read_output();
    log_.take_states();
    keep_memory_limit();
    if (ended_ && alone_ && !more && (log_.is_flushed() || may_drop_lines())) break;
    // As in a container whose first process has ended, no process outlives it.
    if ((ended_ && !alone_) || ending_) end_tree();
    if (daemon_.is_lost()) ending_ = true;
  }
  finish_log();
  keep_writing(cat(order_.directory, "/", k_exit_file), exit_text(exit_));
}

}  // namespace

void watch_program(const GuardOrder& order, const GuardedProcess& process) {
  ::fcntl(process.output, F_SETFL, O_NONBLOCK);
  Watch(order, process).run();
}

}  // namespace trainctl::local
