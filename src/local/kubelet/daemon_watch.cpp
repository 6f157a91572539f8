// Finds out from a lock whether a daemon lives, and starts a new one.
#include "local/kubelet/daemon_watch.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/loop/processes.h"
#include "base/text/text.h"

namespace trainctl::local {
namespace {

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

}  // namespace

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

}  // namespace trainctl::local
