// Reads the identity and the descendants of processes from /proc.
#include "base/loop/processes.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<ProcessFacts> process_facts(pid_t pid) {
  const int fd = ::open(cat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  char buffer[1024];
  const ssize_t size = ::read(fd, buffer, sizeof buffer);
  ::close(fd);
  if (size <= 0) return std::nullopt;
  const std::string_view text(buffer, static_cast<std::size_t>(size));
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

namespace {

// All visible processes.
std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  DIR* directory = ::opendir("/proc");
  if (directory == nullptr) return found;
  while (const dirent* entry = ::readdir(directory)) {
    if (is_number(entry->d_name)) found.push_back(std::atoi(entry->d_name));
  }
  ::closedir(directory);
  return found;
}

}  // namespace

std::optional<ProcessId> process_id(pid_t pid) {
  const auto stat = process_facts(pid);
  if (!stat || stat->state == 'Z' || stat->state == 'X') return std::nullopt;
  return ProcessId{pid, stat->start};
}

void end_child(int status) {
  ::_exit(status);
}

std::vector<pid_t> descendants(pid_t of) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : all_processes()) {
    const auto stat = process_facts(pid);
    if (stat && stat->state != 'Z') children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> found{of};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

namespace {

std::string link_at(const std::string& path) {
  std::array<char, 128> text{};
  const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

std::string this_world() {
  return cat(trim(read_small_file("/proc/sys/kernel/random/boot_id")), ",",
             link_at("/proc/self/ns/pid"));
}

bool is_of_this_world(const ProcessMark& mark) {
  return mark.pid > 1 && mark.world == this_world();
}

Descriptor pidfd_of(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

bool signal_pidfd(const Descriptor& process, int signal) {
  return process && ::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0;
}

// Processes that the program started inherit the pipe, in whichever session they are now.
bool writes_to(pid_t pid, ino_t pipe) {
  const std::string wanted = cat("pipe:[", pipe, "]");
  return link_at(cat("/proc/", pid, "/fd/1")) == wanted ||
         link_at(cat("/proc/", pid, "/fd/2")) == wanted;
}

}  // namespace

std::optional<ProcessMark> process_mark(pid_t pid) {
  const auto facts = process_facts(pid);
  if (!facts) return std::nullopt;
  return ProcessMark{pid, facts->start, this_world()};
}

std::string mark_text(const ProcessMark& mark) {
  return cat(mark.pid, " ", mark.start, " ", mark.world);
}

std::optional<ProcessMark> parse_mark(std::string_view text) {
  const auto words = split(trim(text), ' ');
  if (words.size() != 3) return std::nullopt;
  ProcessMark mark{std::atoi(words[0].c_str()), std::strtoull(words[1].c_str(), nullptr, 10),
                   words[2]};
  if (mark.pid <= 1) return std::nullopt;
  return mark;
}

bool is_alive(const ProcessMark& mark) {
  if (!is_of_this_world(mark)) return false;
  const auto now = process_id(mark.pid);
  return now && now->start == mark.start;
}

Descriptor open_process(const ProcessMark& mark) {
  if (!is_of_this_world(mark)) return Descriptor();
  Descriptor process = pidfd_of(mark.pid);
  // Checked while the pidfd refers to the process, so its PID cannot have been reused in between.
  const auto facts = process_facts(mark.pid);
  if (!process || !facts || facts->start != mark.start) return Descriptor();
  return process;
}

bool send_signal(const ProcessMark& mark, int signal) {
  return signal_pidfd(open_process(mark), signal);
}

void kill_remains(const ProcessMark& program, ino_t output) {
  if (!is_of_this_world(program)) return;
  const auto leader = process_facts(program.pid);
  const bool group_is_its_own = leader && leader->start == program.start;
  for (const pid_t pid : all_processes()) {
    const auto seen = process_facts(pid);
    if (!seen || pid == ::getpid()) continue;
    const bool in_group = group_is_its_own && seen->group == program.pid;
    if (!in_group && !writes_to(pid, output)) continue;
    send_signal({pid, seen->start, program.world}, SIGKILL);
  }
}

}  // namespace trainctl
