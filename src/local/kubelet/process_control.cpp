// Asks /proc for processes, and signals them by pidfds.
#include "local/kubelet/process_control.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/host.h"
#include "base/text/text.h"

namespace trainctl::local {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

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

std::string link_at(const std::string& path) {
  std::array<char, 128> text{};
  const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
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

bool is_running(pid_t pid) {
  const auto facts = host::process_facts(pid);
  return facts && facts->is_running();
}

void end_child(int status) {
  ::_exit(status);
}

std::vector<pid_t> descendants(pid_t of) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : all_processes()) {
    const auto stat = host::process_facts(pid);
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

Descriptor open_process(const ProcessMark& mark) {
  if (!is_of_this_world(mark)) return Descriptor();
  Descriptor process = pidfd_of(mark.pid);
  // Checked while the pidfd refers to the process, so its PID cannot have been reused in between.
  const auto facts = host::process_facts(mark.pid);
  if (!process || !facts || facts->start != mark.start) return Descriptor();
  return process;
}

bool send_signal(const ProcessMark& mark, int signal) {
  return signal_pidfd(open_process(mark), signal);
}

void kill_remains(const ProcessMark& program, ino_t output) {
  if (!is_of_this_world(program)) return;
  const auto leader = host::process_facts(program.pid);
  const bool group_is_its_own = leader && leader->start == program.start;
  for (const pid_t pid : all_processes()) {
    const auto seen = host::process_facts(pid);
    if (!seen || pid == ::getpid()) continue;
    const bool in_group = group_is_its_own && seen->group == program.pid;
    if (!in_group && !writes_to(pid, output)) continue;
    send_signal({pid, seen->start, program.world}, SIGKILL);
  }
}

}  // namespace trainctl::local
