// Tables of names: collectives, functions of the kernel, system calls.
#include "doctor/waits.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/text.h"

namespace trainctl::job {
namespace {

using Text = std::string_view;

struct Collective {
  Text function;  // in lower case
  Text shown;
};
constexpr Collective k_collectives[] = {
    {"all_reduce", "all_reduce"},
    {"allreduce", "all_reduce"},
    {"allreduce_", "all_reduce"},
    {"all_reduce_coalesced", "all_reduce"},
    {"grouped_allreduce", "all_reduce"},
    {"barrier", "barrier"},
    {"monitored_barrier", "monitored_barrier"},
    {"wait_for_everyone", "barrier"},
    {"sync_global_devices", "barrier"},
    {"synchronization_barrier", "barrier"},
    {"broadcast", "broadcast"},
    {"broadcast_", "broadcast"},
    {"broadcast_object", "broadcast"},
    {"broadcast_object_list", "broadcast"},
    {"all_gather", "all_gather"},
    {"allgather", "all_gather"},
    {"all_gather_object", "all_gather"},
    {"all_gather_into_tensor", "all_gather"},
    {"process_allgather", "all_gather"},
    {"reduce_scatter", "reduce_scatter"},
    {"reducescatter", "reduce_scatter"},
    {"reduce_scatter_tensor", "reduce_scatter"},
    {"all_to_all", "all_to_all"},
    {"all_to_all_single", "all_to_all"},
    {"alltoall", "all_to_all"},
    {"gather_object", "gather"},
    {"scatter_object_list", "scatter"},
    {"init_process_group", "init_process_group"},
    {"rendezvous", "rendezvous"},
    {"next_rendezvous", "rendezvous"},
    {"_rendezvous", "rendezvous"},
    {"ncclallreduce", "all_reduce"},
    {"nccl_all_reduce", "all_reduce"},
    {"gloo_allreduce", "all_reduce"},
    {"horovod_allreduce", "all_reduce"},
    {"horovod_broadcast", "broadcast"},
    {"mpi_allreduce", "all_reduce"},
    {"mpi_barrier", "barrier"},
};

constexpr Text k_leaving[] = {"destroy_process_group", "_exit_function", "excepthook",
                              "__excepthook__",        "_run_exitfuncs", "handle_exception",
                              "on_exception",          "post_mortem"};

// A part of the function's name; the first row that fits counts.
constexpr std::pair<Text, Wait> k_kernel_waits[] = {
    {"futex", Wait::lock},         {"pipe_read", Wait::pipe},
    {"pipe_wait", Wait::pipe},     {"wait_for_partner", Wait::pipe},
    {"fifo_open", Wait::pipe},     {"nanosleep", Wait::sleeps},
    {"do_wait", Wait::child},      {"flock", Wait::lock},
    {"locks_", Wait::lock},        {"poll", Wait::poll},
    {"do_select", Wait::poll},     {"sk_", Wait::network},
    {"tcp_", Wait::network},       {"inet_", Wait::network},
    {"unix_", Wait::network},      {"skb_", Wait::network},
    {"wait_woken", Wait::network}, {"nfs", Wait::storage},
    {"rpc_", Wait::storage},       {"fuse_", Wait::storage},
    {"ceph_", Wait::storage},      {"io_schedule", Wait::storage},
};

struct SystemCall {
  Text name;
  Text x86, arm;
  Wait wait;
};
constexpr SystemCall k_system_calls[] = {
    {"read", "0", "63", Wait::unknown},
    {"futex", "202", "98", Wait::lock},
    {"clock_nanosleep", "230", "115", Wait::sleeps},
    {"nanosleep", "35", "101", Wait::sleeps},
    {"poll", "7", "", Wait::poll},
    {"ppoll", "271", "73", Wait::poll},
    {"select", "23", "", Wait::poll},
    {"pselect6", "270", "72", Wait::poll},
    {"epoll_wait", "232", "", Wait::poll},
    {"epoll_pwait", "281", "22", Wait::poll},
    {"recvfrom", "45", "207", Wait::network},
    {"recvmsg", "47", "212", Wait::network},
    {"accept", "43", "202", Wait::network},
    {"accept4", "288", "242", Wait::network},
    {"connect", "42", "203", Wait::network},
    {"wait4", "61", "260", Wait::child},
    {"flock", "73", "32", Wait::lock},
    {"openat", "257", "56", Wait::unknown},
};

Wait kernel_wait(Text function) {
  for (const auto& [part, wait] : k_kernel_waits) {
    if (function.find(part) != Text::npos) return wait;
  }
  return Wait::unknown;
}

Wait wait_in_kernel(const Process& process) {
  if (!process.pipe.empty()) return Wait::pipe;
  if (const Wait wait = kernel_wait(process.wchan); wait != Wait::unknown) return wait;
  const auto call = std::ranges::find(k_system_calls, process.syscall, &SystemCall::name);
  if (call != std::end(k_system_calls) && call->wait != Wait::unknown) return call->wait;
  for (const std::string& function : process.kernel) {
    if (const Wait wait = kernel_wait(function); wait != Wait::unknown) return wait;
  }
  return Wait::unknown;
}

// A main thread may sleep while others compute for it, such as those of OpenMP.
Wait wait_asleep(const Process& process) {
  const Wait wait = wait_in_kernel(process);
  const bool is_for_thread = wait == Wait::lock || wait == Wait::unknown;
  return is_for_thread && uses_cpu(process) ? Wait::runs : wait;
}

}  // namespace

Wait wait_of(const Process& process) {
  switch (process.state) {
    case 'R':
      return Wait::runs;
    case 'D':
      return Wait::storage;
    case 'T':
    case 't':
      return Wait::stopped;
    case 'Z':
    case 'X':
      return Wait::ended;
    default:
      return wait_asleep(process);
  }
}

bool uses_cpu(const Process& process) {
  constexpr int k_busy = 50;
  return process.cpu_percent ? *process.cpu_percent >= k_busy : process.state == 'R';
}

std::string_view wait_words(Wait wait) {
  constexpr std::pair<Wait, Text> k_words[] = {
      {Wait::runs, "computes"},
      {Wait::sleeps, "sleeps"},
      {Wait::lock, "waits for a lock or a thread"},
      {Wait::pipe, "reads a pipe that gives nothing"},
      {Wait::network, "waits for the network"},
      {Wait::poll, "waits for a file or a connection"},
      {Wait::child, "waits for a child process"},
      {Wait::storage, "waits for storage"},
      {Wait::stopped, "is stopped"},
      {Wait::ended, "has ended"},
  };
  const auto found = std::ranges::find(k_words, wait, &std::pair<Wait, Text>::first);
  return found == std::end(k_words) ? "waits" : found->second;
}

std::string state_words(const Process& process) {
  const std::string state = cat("state ", process.state);
  if (process.state == 'D') {
    return cat(state, ", storage", process.wchan.empty() ? "" : ", ", process.wchan);
  }
  // The number of a pipe without a name tells nobody anything.
  if (process.pipe.starts_with('/')) return cat(state, ", reads ", process.pipe);
  if (!process.pipe.empty() || process.state != 'S') return state;
  const std::string& where = process.wchan.empty() ? process.syscall : process.wchan;
  return where.empty() ? state : cat(state, ", ", where);
}

std::string_view collective_of(const Process& process) {
  for (const Frame& frame : process.stack) {
    const std::string name = lower(frame.name);
    const auto found = std::ranges::find(k_collectives, name, &Collective::function);
    if (found != std::end(k_collectives)) return found->shown;
  }
  return "";
}

bool is_leaving(const Process& process) {
  return std::ranges::any_of(process.stack, [](const Frame& frame) {
    return std::ranges::count(k_leaving, Text(frame.name)) > 0;
  });
}

std::string_view syscall_name(std::string_view number, bool is_arm) {
  if (number.empty()) return "";
  for (const SystemCall& call : k_system_calls) {
    if ((is_arm ? call.arm : call.x86) == number) return call.name;
  }
  return "";
}

}  // namespace trainctl::job
