// Reads the memory of processes from /proc. It uses no library, because it runs in a guard.
#include "local/kubelet/memory_limit.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/host.h"
#include "base/loop/processes.h"
#include "base/text/text.h"
#include "local/kubelet/process_control.h"

namespace trainctl::local {
namespace {

std::string read_fact(pid_t pid, std::string_view file) {
  const Descriptor fd(::open(cat("/proc/", pid, "/", file).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  const ssize_t size = fd ? ::read(fd.get(), buffer.data(), buffer.size()) : -1;
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : "";
}

// All pages, those of files and shared ones too: quickly read, and never less than memory_of().
std::int64_t resident(std::span<const pid_t> processes) {
  std::int64_t pages = 0;
  for (const pid_t pid : processes) {
    const std::string facts = read_fact(pid, "statm");  // "SIZE RESIDENT …"
    pages += std::strtoll(split_once(facts, ' ').second.c_str(), nullptr, 10);
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

// "Pss_Anon:           1234 kB"
std::int64_t kibibytes_at(std::string_view facts, std::string_view name) {
  const auto at = facts.find(name);
  if (at == std::string_view::npos) return 0;
  return std::strtoll(std::string(facts.substr(at + name.size())).c_str(), nullptr, 10);
}

}  // namespace

std::int64_t memory_of(std::span<const pid_t> processes) {
  std::int64_t kibibytes = 0;
  for (const pid_t pid : processes) {
    const std::string facts = read_fact(pid, "smaps_rollup");
    kibibytes += kibibytes_at(facts, "\nPss_Anon:") + kibibytes_at(facts, "\nPss_Shmem:");
  }
  return kibibytes * 1024;
}

bool MemoryLimit::is_exceeded_below(pid_t guard) {
  if (bytes_ == 0) return false;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (now.tv_sec < next_look_) return false;
  next_look_ = now.tv_sec + 1;
  const auto processes = descendants(guard);
  // Walking the page tables of a large process takes a while, and is seldom needed.
  return resident(processes) > bytes_ && memory_of(processes) > bytes_;
}

namespace {

constexpr Duration k_shortest_window = std::chrono::seconds(1);

double in_seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

Json UsageMeter::usage_of(const AttemptRecord& run, Time now) {
  const auto processes = descendants(run.guard->pid);
  unsigned long long ticks = 0;
  for (const pid_t pid : processes) {
    if (const auto facts = host::process_facts(pid)) ticks += facts->ticks;
  }
  const auto [known, is_first] =
      samples_.try_emplace(mark_text(*run.guard), Sample{run.started.value_or(now)});
  Sample& sample = known->second;
  if (const Duration window = now - sample.taken; is_first || window >= k_shortest_window) {
    // A process that ended in between takes its time with it.
    const auto more = ticks > sample.ticks ? ticks - sample.ticks : 0;
    const double used = static_cast<double>(more) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    sample = {now, ticks, used / std::max(in_seconds(window), in_seconds(k_shortest_window))};
  }
  constexpr double k_milli = 1000;
  return {{"cpu", cat(static_cast<std::int64_t>(sample.cores * k_milli), "m")},
          {"memory", cat(memory_of(processes) / 1024, "Ki")}};
}

}  // namespace trainctl::local
