// Preloaded into trainctl: lets the nth call of one function of the C library fail, once.
//
// TORTURE_CALL names the function, TORTURE_NTH the call (0: none, they are counted), TORTURE_ERROR
// an errno or "short" (the call does less than it was asked to). TORTURE_REPORT is a file of two
// numbers that this process shares: how many calls there were, and 1 + the descriptor of the one
// that failed.
#include "fail_nth.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* __libc_realloc(void* old, std::size_t size);

namespace {

struct Report {
  std::atomic<std::int64_t> calls;
  std::atomic<std::int64_t> failed;
};

// A call before main goes through: nothing could answer for it.
struct Plan {
  const char* call;
  std::int64_t nth;
  int error;
  bool is_short;
  Report* report;
} plan;

bool armed = false;  // main has begun

// A disk's errors, and less than asked for, come to files and standard streams, not to the event
// descriptors by which a library wakes itself.
bool can_fail(int fd) {
  if (plan.error == EINTR || fd <= STDERR_FILENO) return true;
  struct stat facts {};
  return fstat(fd, &facts) == 0 && (S_ISREG(facts.st_mode) || S_ISSOCK(facts.st_mode));
}

}  // namespace

Outcome outcome_of(const char* call, int fd) {
  if (!armed || plan.report == nullptr || std::strcmp(plan.call, call) != 0) return Outcome::real;
  if (fd != k_no_descriptor && !can_fail(fd)) return Outcome::real;
  if (++plan.report->calls != plan.nth) return Outcome::real;
  plan.report->failed = fd + 1;
  if (plan.is_short) return Outcome::less;
  errno = plan.error;
  return Outcome::fail;
}

namespace {

std::size_t less_of(std::size_t size, Outcome outcome) {
  return outcome == Outcome::less && size > 1 ? size / 2 : size;
}

__attribute__((constructor)) void prepare() {
  const char* const file = std::getenv("TORTURE_REPORT");
  const char* const call = std::getenv("TORTURE_CALL");
  const char* const nth = std::getenv("TORTURE_NTH");
  const char* const error = std::getenv("TORTURE_ERROR");
  if (file == nullptr || call == nullptr || nth == nullptr || error == nullptr) return;
  unsetenv("LD_PRELOAD");  // children are not tortured
  const int fd = ::open(file, O_RDWR | O_CLOEXEC);
  void* const shared = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  plan.call = call;
  plan.nth = std::atoll(nth);
  plan.error = std::atoi(error);
  plan.is_short = std::strcmp(error, "short") == 0;
  if (shared != MAP_FAILED) plan.report = static_cast<Report*>(shared);
}

}  // namespace

extern "C" {

// The first thing that main does.
sighandler_t signal(int number, sighandler_t handler) noexcept {
  static const auto call = real(&signal, "signal");
  armed = true;
  return call(number, handler);
}

ssize_t read(int fd, void* data, std::size_t size) {
  static const auto call = real(&read, "read");
  const Outcome outcome = outcome_of("read", fd);
  return outcome == Outcome::fail ? -1 : call(fd, data, less_of(size, outcome));
}

ssize_t write(int fd, const void* data, std::size_t size) {
  static const auto call = real(&write, "write");
  const Outcome outcome = outcome_of("write", fd);
  return outcome == Outcome::fail ? -1 : call(fd, data, less_of(size, outcome));
}

ssize_t writev(int fd, const iovec* parts, int count) {
  static const auto call = real(&writev, "writev");
  const Outcome outcome = outcome_of("writev", fd);
  if (outcome == Outcome::fail) return -1;
  return call(fd, parts, static_cast<int>(less_of(static_cast<std::size_t>(count), outcome)));
}

ssize_t send(int fd, const void* data, std::size_t size, int flags) {
  static const auto call = real(&send, "send");
  const Outcome outcome = outcome_of("send", fd);
  return outcome == Outcome::fail ? -1 : call(fd, data, less_of(size, outcome), flags);
}

ssize_t recv(int fd, void* data, std::size_t size, int flags) {
  static const auto call = real(&recv, "recv");
  const Outcome outcome = outcome_of("recv", fd);
  return outcome == Outcome::fail ? -1 : call(fd, data, less_of(size, outcome), flags);
}

int open(const char* path, int flags, ...) {
  static const auto call = real(&open, "open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return outcome_of("open", k_no_descriptor) == Outcome::fail ? -1 : call(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  static const auto call = real(&open64, "open64");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return outcome_of("open", k_no_descriptor) == Outcome::fail ? -1 : call(path, flags, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  static const auto call = real(&openat, "openat");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  if (outcome_of("open", k_no_descriptor) == Outcome::fail) return -1;
  return call(directory, path, flags, mode);
}

// Linux closes the descriptor even where it reports an error.
int close(int fd) {
  static const auto call = real(&close, "close");
  const Outcome outcome = outcome_of("close", fd);
  const int error = errno;
  const int done = call(fd);
  if (outcome != Outcome::fail) return done;
  errno = error;
  return -1;
}

int ftruncate(int fd, off_t size) noexcept {
  static const auto call = real(&ftruncate, "ftruncate");
  return outcome_of("ftruncate", fd) == Outcome::fail ? -1 : call(fd, size);
}

int ftruncate64(int fd, off64_t size) noexcept {
  static const auto call = real(&ftruncate64, "ftruncate64");
  return outcome_of("ftruncate", fd) == Outcome::fail ? -1 : call(fd, size);
}

ssize_t pwrite(int fd, const void* data, std::size_t size, off_t at) {
  static const auto call = real(&pwrite, "pwrite");
  const Outcome outcome = outcome_of("pwrite", fd);
  return outcome == Outcome::fail ? -1 : call(fd, data, less_of(size, outcome), at);
}

ssize_t pwrite64(int fd, const void* data, std::size_t size, off64_t at) {
  static const auto call = real(&pwrite64, "pwrite64");
  const Outcome outcome = outcome_of("pwrite", fd);
  return outcome == Outcome::fail ? -1 : call(fd, data, less_of(size, outcome), at);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t at) {
  static const auto call = real(&pwritev, "pwritev");
  return outcome_of("pwrite", fd) == Outcome::fail ? -1 : call(fd, parts, count, at);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static const auto call = real(&sendmsg, "sendmsg");
  return outcome_of("sendmsg", fd) == Outcome::fail ? -1 : call(fd, message, flags);
}

int pipe2(int ends[2], int flags) noexcept {
  static const auto call = real(&pipe2, "pipe2");
  return outcome_of("pipe2", k_no_descriptor) == Outcome::fail ? -1 : call(ends, flags);
}

int eventfd(unsigned start, int flags) noexcept {
  static const auto call = real(&eventfd, "eventfd");
  return outcome_of("eventfd", k_no_descriptor) == Outcome::fail ? -1 : call(start, flags);
}

int epoll_create1(int flags) noexcept {
  static const auto call = real(&epoll_create1, "epoll_create1");
  return outcome_of("epoll_create1", k_no_descriptor) == Outcome::fail ? -1 : call(flags);
}

int socket(int domain, int type, int protocol) {
  static const auto call = real(&socket, "socket");
  return outcome_of("socket", k_no_descriptor) == Outcome::fail ? -1 : call(domain, type, protocol);
}

int connect(int fd, const sockaddr* address, socklen_t size) {
  static const auto call = real(&connect, "connect");
  return outcome_of("connect", fd) == Outcome::fail ? -1 : call(fd, address, size);
}

int fsync(int fd) {
  static const auto call = real(&fsync, "fsync");
  return outcome_of("fsync", fd) == Outcome::fail ? -1 : call(fd);
}

int rename(const char* from, const char* to) noexcept {
  static const auto call = real(&rename, "rename");
  return outcome_of("rename", k_no_descriptor) == Outcome::fail ? -1 : call(from, to);
}

int poll(pollfd* watched, nfds_t count, int patience) {
  static const auto call = real(&poll, "poll");
  return outcome_of("poll", k_no_descriptor) == Outcome::fail ? -1 : call(watched, count, patience);
}

int epoll_wait(int instance, epoll_event* events, int most, int patience) {
  static const auto call = real(&epoll_wait, "epoll_wait");
  return outcome_of("epoll", instance) == Outcome::fail ? -1
                                                        : call(instance, events, most, patience);
}

int epoll_pwait(int instance, epoll_event* events, int most, int patience, const sigset_t* mask) {
  static const auto call = real(&epoll_pwait, "epoll_pwait");
  return outcome_of("epoll", instance) == Outcome::fail
             ? -1
             : call(instance, events, most, patience, mask);
}

void* malloc(std::size_t size) {
  return outcome_of("malloc", k_no_descriptor) == Outcome::fail ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  return outcome_of("malloc", k_no_descriptor) == Outcome::fail ? nullptr
                                                                : __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) {
  return outcome_of("malloc", k_no_descriptor) == Outcome::fail ? nullptr
                                                                : __libc_realloc(old, size);
}

}  // extern "C"
