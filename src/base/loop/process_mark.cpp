// Marks processes by PID, start time, boot and namespace, and signals them through verified pidfds.
#include "base/loop/process_mark.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include "base/file/small_file.h"
#include "base/loop/process_tree.h"
#include "base/text/text.h"

namespace trainctl {
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
