// By what POSIX has; macOS does some of it better, where its headers say so.
#include <array>
#include <cerrno>
#include <climits>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/host.h"
#include "base/text/text.h"

namespace trainctl::host {
namespace {

#ifdef O_SEARCH
constexpr int k_enter = O_SEARCH;
#else
constexpr int k_enter = O_RDONLY;
#endif

timespec changed(const struct stat& facts) {
#ifdef __APPLE__
  return facts.st_ctimespec;
#else
  return facts.st_ctim;
#endif
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// A link that was replaced, or moved away and back, was also changed.
bool is_unchanged(const struct stat& one, const struct stat& other) {
  return is_same_file(one, other) && changed(one).tv_sec == changed(other).tv_sec &&
         changed(one).tv_nsec == changed(other).tv_nsec;
}

bool holds_open_files(int directory) {
  struct stat own {
  }, found{};
  return ::stat("/dev/fd", &own) == 0 && ::fstat(directory, &found) == 0 &&
         is_same_file(own, found);
}

void set_number(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

Descriptor open_directory(int at, const std::string& name, Links links) {
  const int no_links = links == Links::refused ? O_NOFOLLOW : 0;
  return Descriptor(::openat(at, name.c_str(), k_enter | O_DIRECTORY | O_CLOEXEC | no_links));
}

// A link cannot be opened, so it is looked at again after its target was read.
std::optional<Seen> look_at(int at, const std::string& name) {
  Seen seen;
  if (::fstatat(at, name.c_str(), &seen.facts, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (!S_ISLNK(seen.facts.st_mode)) return seen;
  seen.is_open_file = holds_open_files(at);
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlinkat(at, name.c_str(), target.data(), target.size());
  if (size <= 0 && !seen.is_open_file) return std::nullopt;
  seen.target.assign(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  struct stat after {};
  if (::fstatat(at, name.c_str(), &after, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (is_unchanged(seen.facts, after)) return seen;
  errno = EAGAIN;
  return std::nullopt;
}

// A system without F_GETPATH does not tell: a file to which the path no longer leads gets a path
// that is in no directory.
std::string opened_path(int fd, const std::string& path) {
#ifdef F_GETPATH
  std::array<char, PATH_MAX> known{};
  if (::fcntl(fd, F_GETPATH, known.data()) == 0) return known.data();
#endif
  std::error_code trouble;
  std::string real = std::filesystem::weakly_canonical(path, trouble);
  struct stat opened {
  }, found{};
  const bool is_regular = ::fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode);
  if (!is_regular || (::stat(real.c_str(), &found) == 0 && is_same_file(opened, found))) {
    return real;
  }
  return cat("/dev/fd/", fd, "/", opened.st_ino);
}

bool return_space(int, std::uint64_t) {
  return false;
}

// On macOS this clock goes on while the machine sleeps.
Duration since_boot() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Descriptor watch(int, bool) {
  return Descriptor();
}

std::optional<ProcessFacts> process_facts(pid_t) {
  return std::nullopt;
}

// Two probes after half the limit; for packets of ours, macOS and Linux have options of their own.
void find_dead_path(int socket, Duration limit) {
  using namespace std::chrono;
  const auto quarter = static_cast<int>(ceil<seconds>(limit / 4).count());
  set_number(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_RXT_CONNDROPTIME
  set_number(socket, IPPROTO_TCP, TCP_KEEPALIVE, 2 * quarter);
  set_number(socket, IPPROTO_TCP, TCP_RXT_CONNDROPTIME, 4 * quarter);
#else
  set_number(socket, IPPROTO_TCP, TCP_KEEPIDLE, 2 * quarter);
#endif
#ifdef TCP_USER_TIMEOUT
  set_number(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<int>(duration_cast<milliseconds>(limit).count()));
#endif
  set_number(socket, IPPROTO_TCP, TCP_KEEPINTVL, quarter);
  set_number(socket, IPPROTO_TCP, TCP_KEEPCNT, 2);
}

}  // namespace trainctl::host
