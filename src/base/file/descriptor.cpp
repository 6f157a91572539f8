// Manages the process's first three descriptors, and the limit on all (RLIMIT_NOFILE).
#include "base/file/descriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace trainctl {
namespace {

int open_something() {
  return ::open("/", O_RDONLY | O_CLOEXEC);
}

}  // namespace

bool close_on_exec(int fd) {
  return ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

bool never_block(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

void fill_standard_files() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor, which is the missing one.
    ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void allow_many_files() {
  constexpr rlim_t k_enough = 16384;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= k_enough) return;
  limit.rlim_cur = std::min(limit.rlim_max, k_enough);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::optional<std::uint64_t> too_low_file_limit() {
  constexpr std::size_t k_least = 16;
  std::array<int, k_least> taken{};
  std::size_t count = 0;
  while (count < k_least && (taken[count] = open_something()) >= 0) ++count;
  const auto limit = count < k_least ? exhausted_file_limit() : std::nullopt;
  while (count > 0) ::close(taken[--count]);
  return limit;
}

std::size_t file_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

std::optional<std::uint64_t> exhausted_file_limit() {
  const int fd = open_something();
  if (fd >= 0) {
    ::close(fd);
    return std::nullopt;
  }
  rlimit limit{};
  if (errno != EMFILE || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace trainctl
