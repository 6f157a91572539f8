// Tells processes with one PID apart by when they started.
#include "base/loop/processes.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file/small_file.h"
#include "base/host.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

// This boot of this machine, and this container of it: where a PID and a start time are one
// process.
std::string this_world() {
  std::error_code trouble;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", trouble);
  return cat(trim(read_small_file("/proc/sys/kernel/random/boot_id")), ",", space);
}

}  // namespace

std::optional<ProcessMark> process_mark(pid_t pid) {
  const auto facts = host::process_facts(pid);
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

bool is_of_this_world(const ProcessMark& mark) {
  return mark.pid > 1 && mark.world == this_world();
}

bool is_alive(const ProcessMark& mark) {
  if (!is_of_this_world(mark)) return false;
  const auto now = host::process_facts(mark.pid);
  return now && now->is_running() && now->start == mark.start;
}

}  // namespace trainctl
