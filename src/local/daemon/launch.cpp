// Starts `trainctl local serve` in a session of its own and waits for its message on a pipe.
#include "local/daemon/launch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/text/text.h"
#include "local/daemon/daemon.h"
#include "local/kubelet/process_control.h"

namespace trainctl::local {
namespace {

constexpr int k_ready_fd = 3;
constexpr int k_starts = 3;
constexpr std::chrono::milliseconds k_silence =
    std::chrono::seconds(2);  // before a notice says what trainctl waits for
constexpr std::chrono::milliseconds k_start_patience = std::chrono::seconds(90);
constexpr off_t k_log_limit = off_t{1} << 20;

std::vector<char*> c_array(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> command_line(const Launch& launch, bool reports_ready) {
  std::vector<std::string> words = {launch.program, "local", "serve"};
  if (launch.gpus >= 0) words.push_back(cat("--local-gpus=", launch.gpus));
  if (launch.log_limit >= 0) words.push_back(cat("--local-log-limit=", launch.log_limit));
  if (launch.idle) {
    words.push_back(cat("--idle=", std::chrono::ceil<std::chrono::seconds>(*launch.idle).count()));
  }
  if (reports_ready) words.push_back(cat("--ready-fd=", k_ready_fd));
  return words;
}

// The daemon's log is small; a file that has grown nevertheless is replaced.
void turn_log_over(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 || facts.st_size <= k_log_limit) return;
  std::rename(path.c_str(), (path + ".1").c_str());
}

struct SpawnPlan {
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

// The daemon must not depend on the terminal's signals, the working directory or our open files.
void detach(SpawnPlan& plan, const std::string& log, int ready) {
  auto* actions = &plan.actions;
  constexpr int k_log_flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW;
  posix_spawn_file_actions_adddup2(actions, ready, k_ready_fd);
  posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, log.c_str(), k_log_flags, 0600);
  posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(actions, ready < 0 ? k_ready_fd : k_ready_fd + 1);
  posix_spawn_file_actions_addchdir_np(actions, "/");
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&plan.attributes, &none);
  posix_spawnattr_setsigdefault(&plan.attributes, &all);
  posix_spawnattr_setflags(&plan.attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

// Starts the daemon and returns its pid. `ready` is -1, or the descriptor on which it reports that
// it serves.
Result<int> start_daemon(const DaemonPaths& places, const Launch& launch, int ready) {
  TRY(make_private(places));
  turn_log_over(places.log());
  SpawnPlan plan;
  detach(plan, places.log(), ready);
  std::vector<std::string> words = command_line(launch, ready >= 0);
  std::vector<std::string> variables;
  for (const auto& [name, value] : launch.environment.all()) {
    variables.push_back(cat(name, '=', value));
  }
  pid_t process = 0;
  errno = ::posix_spawn(&process, launch.program.c_str(), &plan.actions, &plan.attributes,
                        c_array(words).data(), c_array(variables).data());
  if (errno != 0) return system_error("start the embedded cluster with", launch.program);
  return process;
}

struct DaemonWord {
  std::string text;
  bool ended = false;  // the sender has closed the pipe
  bool is_ready() const { return text.ends_with(k_ready); }
};

// Reads the message until the other end is closed, or silent for too long.
DaemonWord read_word(int fd, const std::function<void()>& on_wait) {
  DaemonWord word;
  std::chrono::milliseconds patience = k_silence;
  for (;;) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(patience.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && std::exchange(patience, k_start_patience) == k_silence) {
      if (on_wait) on_wait();
      continue;
    }
    if (ready <= 0) return word;
    std::array<char, 1024> buffer{};
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    word.ended = size <= 0;
    if (word.ended) return word;
    word.text.append(buffer.data(), static_cast<std::size_t>(size));
    if (word.is_ready()) return word;
  }
}

// "" when the file is missing, not ours, or a symbolic link.
std::string read_own_log(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || facts.st_uid != ::getuid()) return "";
  std::string content;
  std::array<char, 8192> buffer{};
  for (ssize_t size = 0; (size = ::read(file.get(), buffer.data(), buffer.size())) > 0;) {
    content.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return content;
}

std::string last_line(const std::string& text) {
  const auto lines = split(trim(text), '\n');
  return lines.back();
}

Result<DaemonWord> start_and_listen(const DaemonPaths& places, const Launch& launch) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("make", "a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  TRY_ASSIGN(const int process, start_daemon(places, launch, writing.get()));
  writing.reset();
  DaemonWord word = read_word(reading.get(), launch.on_wait);
  // The daemon has ended or will end; only its message remains.
  if (!word.is_ready()) ::waitpid(process, nullptr, WNOHANG);
  return word;
}

Error not_up(const DaemonPaths& places, const std::string& word) {
  std::string why = last_line(word.empty() ? read_own_log(places.log()) : word);
  if (why.empty()) why = "it printed nothing";
  return {Code::error, cat("the embedded cluster does not start: ", why),
          cat("its log is ", places.log())};
}

}  // namespace

Status ensure_running(const DaemonPaths& places, const Launch& launch) {
  TRY(check_socket_directory(places));
  for (int start = 1;; ++start) {
    const Reach reached = reach(places.socket);
    if (reached == Reach::accepts) return {};
    if (reached == Reach::failed) return system_error("connect to", places.socket);
    TRY_ASSIGN(const DaemonWord word, start_and_listen(places, launch));
    if (word.is_ready()) return {};
    // A daemon that left no message was killed; the next one may not be.
    const bool killed = word.ended && word.text.empty();
    if (!killed || start == k_starts) return not_up(places, word.text);
  }
}

namespace {

void await_end(const ProcessMark& mark, const std::function<void()>& waits) {
  constexpr int k_first = 3000, k_next = 30'000;  // ms
  const Descriptor process = open_process(mark);
  for (int patience = k_first; process;) {
    pollfd ended{process.get(), POLLIN, 0};
    const int ready = ::poll(&ended, 1, patience);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return;
    if (ready < 0) continue;
    waits();
    patience = k_next;
  }
}

}  // namespace

int daemon_pid(const DaemonPaths& places) {
  const Holder holder = read_holder(places);
  if (holder.pid == 0) return 0;
  const auto lock = try_lock(places);
  return lock && !*lock ? holder.pid : 0;
}

Result<bool> end_daemon(const DaemonPaths& places, const std::function<void()>& waits) {
  const int pid = daemon_pid(places);
  if (pid == 0) return false;
  const Descriptor lock(::open(places.lock().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!lock) return system_error("open", places.lock());
  const auto mark = read_holder(places).mark;
  if (mark && !send_signal(*mark, SIGTERM)) {
    return Error{
        Code::error,
        cat("process ", pid, ", which holds ", places.lock(), ", is not a process of this machine"),
        "it runs in another container: run trainctl local down there"};
  }
  if (!mark && ::kill(pid, SIGTERM) != 0) return system_error("end", cat("process ", pid));
  if (mark) await_end(*mark, waits);
  while (::flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return true;
}

Result<int> Reviver::operator()() {
  const Reach reached = reach(places_.socket);
  if (reached == Reach::accepts) return read_holder(places_).pid;
  if (reached == Reach::failed) return 0;  // this process may be to blame: too many open files
  const bool starting = process_ != 0 && ::waitpid(process_, nullptr, WNOHANG) == 0;
  if (!starting) {
    process_ = 0;
    if (read_holder(places_).pid == 0) {
      return Error{Code::error, std::string(k_was_ended),
                   "the job continues with the next --local command"};
    }
    // A failed start shows in the next connection, which fails.
    if (const auto started = start_daemon(places_, launch_, -1)) process_ = *started;
  }
  return 0;
}

}  // namespace trainctl::local
