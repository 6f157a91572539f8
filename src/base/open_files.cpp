// The process's limit of descriptors (RLIMIT_NOFILE).
#include "base/open_files.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace trainctl {

void allow_many_files() {
  constexpr rlim_t k_enough = 16384;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= k_enough) return;
  limit.rlim_cur = std::min(limit.rlim_max, k_enough);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::optional<std::uint64_t> exhausted_file_limit() {
  const int fd = ::open("/", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    ::close(fd);
    return std::nullopt;
  }
  rlimit limit{};
  if (errno != EMFILE || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace trainctl
