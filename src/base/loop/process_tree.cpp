// Reads the identity and the descendants of processes from /proc.
#include "base/loop/process_tree.h"

#include <cstdlib>
#include <map>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

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

}  // namespace trainctl
