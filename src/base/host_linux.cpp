// By O_PATH, epoll, /proc and the holes of files.
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/host.h"
#include "base/text/text.h"

namespace trainctl::host {
namespace {

void set_number(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

Descriptor open_directory(int at, const std::string& name, Links links) {
  const int no_links = links == Links::refused ? O_NOFOLLOW : 0;
  return Descriptor(::openat(at, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | no_links));
}

// The name is opened before it is looked at, so that owner and target are those of one link.
std::optional<Seen> look_at(int at, const std::string& name) {
  const Descriptor node(::openat(at, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  Seen seen;
  if (!node || ::fstat(node.get(), &seen.facts) != 0) return std::nullopt;
  if (!S_ISLNK(seen.facts.st_mode)) return seen;
  struct statfs system {};
  seen.is_open_file = ::fstatfs(at, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlinkat(node.get(), "", target.data(), target.size());
  if (size <= 0 && !seen.is_open_file) return std::nullopt;
  seen.target.assign(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return seen;
}

std::string opened_path(int fd, const std::string& path) {
  constexpr std::string_view k_replaced = " (deleted)";
  std::error_code trouble;
  std::string real = std::filesystem::read_symlink(cat("/proc/self/fd/", fd), trouble);
  if (trouble) return std::filesystem::weakly_canonical(path, trouble);
  if (real.ends_with(k_replaced)) real.resize(real.size() - k_replaced.size());
  return real;
}

// Punches from 0 each time, since a block shared by two pieces is not freed before both are read.
bool return_space(int file, std::uint64_t end) {
  constexpr int k_hole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  return ::fallocate(file, k_hole, 0, static_cast<off_t>(end)) == 0;
}

Duration since_boot() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

Descriptor watch(int fd, bool input) {
  Descriptor instance(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};  // an error or a hang-up is always reported
  if (input) event.events = EPOLLIN;
  if (instance && ::epoll_ctl(instance.get(), EPOLL_CTL_ADD, fd, &event) != 0) instance.reset();
  return instance;
}

std::optional<ProcessFacts> process_facts(pid_t pid) {
  const Descriptor file(::open(cat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::array<char, 1024> buffer{};
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size <= 0) return std::nullopt;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  // The second field is the program's name in brackets, which may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > text.size()) return std::nullopt;
  const auto fields = split(text.substr(name_end + 2), ' ');
  constexpr std::size_t k_state_field = 0;
  constexpr std::size_t k_parent = 1;
  constexpr std::size_t k_group = 2;
  constexpr std::size_t k_times = 11;  // utime, stime, cutime, cstime
  constexpr std::size_t k_start = 19;
  if (fields.size() <= k_start || fields[k_state_field].empty()) return std::nullopt;
  unsigned long long ticks = 0;
  for (std::size_t at = k_times; at < k_times + 4; ++at) {
    ticks += std::strtoull(fields[at].c_str(), nullptr, 10);
  }
  return ProcessFacts{fields[k_state_field][0], std::atoi(fields[k_parent].c_str()),
                      std::atoi(fields[k_group].c_str()),
                      std::strtoull(fields[k_start].c_str(), nullptr, 10), ticks};
}

// The kernel gives up at the first probe after the limit, so the probes are timed to hit the limit.
void find_dead_path(int socket, Duration limit) {
  using namespace std::chrono;
  const auto quarter = static_cast<int>(ceil<seconds>(limit / 4).count());
  set_number(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_number(socket, IPPROTO_TCP, TCP_KEEPIDLE, 2 * quarter);
  set_number(socket, IPPROTO_TCP, TCP_KEEPINTVL, quarter);
  set_number(socket, IPPROTO_TCP, TCP_USER_TIMEOUT,
             static_cast<int>(duration_cast<milliseconds>(limit).count()));
}

}  // namespace trainctl::host
