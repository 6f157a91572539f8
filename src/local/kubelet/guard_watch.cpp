// The guard's loop. It uses no library, because it runs in a fork of the daemon.
#include "local/kubelet/guard_watch.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iterator>
#include <map>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/loop/processes.h"
#include "base/text/text.h"
#include "local/kubelet/exec_order.h"
#include "local/kubelet/guard.h"
#include "local/kubelet/memory_limit.h"
#include "local/kubelet/process_control.h"
#include "local/kubelet/rotating_log.h"

namespace trainctl::local {
namespace {

// Lets a guard watch the daemon: the guard starts a missing daemon, and gives up when none stays.
class DaemonWatch {
 public:
  explicit DaemonWatch(const GuardOrder& order);
  // Call it often; it checks once a second. True once there has been no daemon for so long, and
  // after so many attempts to start one, that the container must be ended.
  bool is_lost();

 private:
  bool is_alive() const;
  void revive();

  const GuardOrder& order_;
  int lock_ = -1;    // the file that a living daemon keeps locked
  int turn_ = -1;    // locked by the guard that starts a daemon, so that a hundred guards do not
  time_t next_ = 0;  // monotonic seconds
  time_t absent_since_ = 0;  // 0 = there is a daemon now
  time_t next_attempt_ = 0;
  int attempts_ = 0;
};

constexpr int k_start_attempts = 5;
constexpr time_t k_longest_absence = 32;  // 1 + 2 + 4 + 8 + 16: five attempts and their back-off

time_t monotonic_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec;
}

int open_lock(const std::string& path) {
  if (path.empty()) return -1;
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void become_daemon(const GuardOrder& order) {
  ::setsid();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(number, SIG_DFL);
  std::vector<std::string> words = order.program;
  std::vector<std::string> variables = order.program_environment;
  ::execve(words.front().c_str(), pointers(words).data(), pointers(variables).data());
  end_child(127);
}

DaemonWatch::DaemonWatch(const GuardOrder& order)
    : order_(order), lock_(open_lock(order.lock_file)) {
  if (lock_ >= 0) turn_ = open_lock(cat(order.lock_file, ".revive"));
}

bool DaemonWatch::is_alive() const {
  if (::flock(lock_, LOCK_SH | LOCK_NB) != 0) return true;
  ::flock(lock_, LOCK_UN);
  return false;
}

void DaemonWatch::revive() {
  // The daemon becomes our sibling (CLONE_PARENT), so that it is not in the process tree that ends
  // with the container.
  const long child = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, 0UL);
  if (child == 0) become_daemon(order_);
}

bool DaemonWatch::is_lost() {
  const time_t now = monotonic_seconds();
  if (lock_ < 0 || order_.program.empty() || now < next_) return false;
  next_ = now + 1;
  if (is_alive()) {
    absent_since_ = 0;
    attempts_ = 0;
    next_attempt_ = 0;
    ::flock(turn_, LOCK_UN);
    return false;
  }
  if (absent_since_ == 0) absent_since_ = now;
  if (now - absent_since_ >= k_longest_absence) return true;
  if (now < next_attempt_ || attempts_ == k_start_attempts) return false;
  if (::flock(turn_, LOCK_EX | LOCK_NB) != 0) return false;
  revive();
  next_attempt_ = now + (time_t{1} << attempts_);
  ++attempts_;
  return false;
}

// The socket where a guard takes orders to run more programs in its container: `exec` of the API.
// They are children of the guard like the container's own, so they are limited with it and end with
// it.
class GuardDoor {
 public:
  // `program` is the container's own, whose mounts the others get.
  GuardDoor(const GuardOrder& order, pid_t program);
  // Becomes readable when an order waits; -1 = closed.
  int descriptor() const { return door_.get(); }

  enum class Asked { nothing, program, end_of_input };
  // Takes one order, if one waits.
  Asked serve();
  // A child of the guard has ended.
  void reaped(pid_t pid, int status);
  // Takes no more orders.
  void close();

 private:
  const GuardOrder& order_;
  pid_t program_;
  Descriptor door_;
  std::map<pid_t, Descriptor> running_;  // with the connections that wait for their ends
};

Descriptor opened_namespace(std::string_view process, std::string_view kind) {
  return Descriptor(::open(cat("/proc/", process, "/ns/", kind).c_str(), O_RDONLY | O_CLOEXEC));
}

bool is_own(const Descriptor& other, std::string_view kind) {
  const Descriptor own = opened_namespace("self", kind);
  struct stat here {};
  struct stat there {};
  return own && ::fstat(own.get(), &here) == 0 && ::fstat(other.get(), &there) == 0 &&
         here.st_ino == there.st_ino;
}

// "" when the mounts of `program` are this process's from now on.
std::string share_mounts_of(pid_t program) {
  const Descriptor users = opened_namespace(cat(program), "user");
  const Descriptor mounts = opened_namespace(cat(program), "mnt");
  if (!users || !mounts) return "container not found";
  if (is_own(mounts, "mnt")) return "";
  const bool shared = (is_own(users, "user") || ::setns(users.get(), CLONE_NEWUSER) == 0) &&
                      ::setns(mounts.get(), CLONE_NEWNS) == 0;
  return shared ? "" : cat("setns: ", lower(system_words(errno)));
}

// The first one is the terminal of a program that has one.
void take_streams(const ReceivedOrder& received) {
  if (received.order.terminal) ::ioctl(received.streams[0].get(), TIOCSCTTY, 0);
  for (int standard = 0; standard <= 2; ++standard) {
    const std::size_t number = received.order.terminal ? 0 : static_cast<std::size_t>(standard);
    ::dup2(received.streams[number].get(), standard);
  }
}

std::string become(const GuardOrder& order, const ReceivedOrder& received, pid_t program,
                   pid_t guard) {
  ::setsid();
  ::umask(022);
  if (const auto fault = share_mounts_of(program); !fault.empty()) return fault;
  take_streams(received);
  std::vector<std::string> environment = order.environment;
  // As a container runtime does; the container's own variables come first.
  if (received.order.terminal) environment.emplace_back("TERM=xterm");
  return execute({received.order.argv, environment, order.working_directory, guard});
}

void say(int connection, std::string_view kind, std::string_view words) {
  const std::string line = cat(kind, " ", words, "\n");
  ::send(connection, line.data(), line.size(), MSG_NOSIGNAL);
}

GuardDoor::GuardDoor(const GuardOrder& order, pid_t program)
    : order_(order), program_(program), door_(open_door(order.directory)) {}

GuardDoor::Asked GuardDoor::serve() {
  if (!door_) return Asked::nothing;
  Descriptor connection(::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection) return Asked::nothing;
  const auto received = receive_order(connection.get());
  if (!received) return Asked::nothing;
  if (received->order.argv.empty()) return Asked::end_of_input;
  const pid_t guard = ::getpid();
  const pid_t child = ::_Fork();
  if (child == 0) {
    const std::string fault = become(order_, *received, program_, guard);
    say(connection.get(), k_exec_fault, fault);
    end_child(128);
  }
  if (child < 0) {
    say(connection.get(), k_exec_fault, system_words(errno));
  } else {
    running_.emplace(child, std::move(connection));
  }
  return Asked::program;
}

void GuardDoor::reaped(pid_t pid, int status) {
  const auto found = running_.find(pid);
  if (found == running_.end()) return;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  say(found->second.get(), k_exec_exit, cat(code));
  running_.erase(found);
}

void GuardDoor::close() {
  if (!door_) return;
  door_.reset();
  ::unlink(cat(order_.directory, "/", k_door_file).c_str());
}

}  // namespace

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
