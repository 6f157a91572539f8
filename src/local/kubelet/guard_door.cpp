// Starts each program in the container's namespaces, and reports its end to who ordered it.
#include "local/kubelet/guard_door.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop/processes.h"
#include "base/text/text.h"
#include "local/kubelet/exec_order.h"
#include "local/kubelet/program_start.h"

namespace trainctl::local {
namespace {

Descriptor opened_namespace(std::string_view process, std::string_view kind) {
  return Descriptor(::open(cat("/proc/", process, "/ns/", kind).c_str(), O_RDONLY | O_CLOEXEC));
}

bool is_own(const Descriptor& other, std::string_view kind) {
  const Descriptor own = opened_namespace("self", kind);
  struct stat here {};
  struct stat there {};
  return own && ::fstat(own.get(), &here) == 0 && ::fstat(other.get(), &there) == 0 &&
         here.st_ino == there.st_ino;
}

// "" when the mounts of `program` are this process's from now on.
std::string share_mounts_of(pid_t program) {
  const Descriptor users = opened_namespace(cat(program), "user");
  const Descriptor mounts = opened_namespace(cat(program), "mnt");
  if (!users || !mounts) return "container not found";
  if (is_own(mounts, "mnt")) return "";
  const bool shared = (is_own(users, "user") || ::setns(users.get(), CLONE_NEWUSER) == 0) &&
                      ::setns(mounts.get(), CLONE_NEWNS) == 0;
  return shared ? "" : cat("setns: ", lower(system_words(errno)));
}

// The first one is the terminal of a program that has one.
void take_streams(const ReceivedOrder& received) {
  if (received.order.terminal) ::ioctl(received.streams[0].get(), TIOCSCTTY, 0);
  for (int standard = 0; standard <= 2; ++standard) {
    const std::size_t number = received.order.terminal ? 0 : static_cast<std::size_t>(standard);
    ::dup2(received.streams[number].get(), standard);
  }
}

std::string become(const GuardOrder& order, const ReceivedOrder& received, pid_t program,
                   pid_t guard) {
  ::setsid();
  ::umask(022);
  if (const auto fault = share_mounts_of(program); !fault.empty()) return fault;
  take_streams(received);
  std::vector<std::string> environment = order.environment;
  // As a container runtime does; the container's own variables come first.
  if (received.order.terminal) environment.emplace_back("TERM=xterm");
  return execute({received.order.argv, environment, order.working_directory, guard});
}

void say(int connection, std::string_view kind, std::string_view words) {
  const std::string line = cat(kind, " ", words, "\n");
  ::send(connection, line.data(), line.size(), MSG_NOSIGNAL);
}

}  // namespace

GuardDoor::GuardDoor(const GuardOrder& order, pid_t program)
    : order_(order), program_(program), door_(open_door(order.directory)) {}

GuardDoor::Asked GuardDoor::serve() {
  if (!door_) return Asked::nothing;
  Descriptor connection(::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!connection) return Asked::nothing;
  const auto received = receive_order(connection.get());
  if (!received) return Asked::nothing;
  if (received->order.argv.empty()) return Asked::end_of_input;
  const pid_t guard = ::getpid();
  const pid_t child = ::_Fork();
  if (child == 0) {
    const std::string fault = become(order_, *received, program_, guard);
    say(connection.get(), k_exec_fault, fault);
    end_child(128);
  }
  if (child < 0) {
    say(connection.get(), k_exec_fault, system_words(errno));
  } else {
    running_.emplace(child, std::move(connection));
  }
  return Asked::program;
}

void GuardDoor::reaped(pid_t pid, int status) {
  const auto found = running_.find(pid);
  if (found == running_.end()) return;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  say(found->second.get(), k_exec_exit, cat(code));
  running_.erase(found);
}

void GuardDoor::close() {
  if (!door_) return;
  door_.reset();
  ::unlink(cat(order_.directory, "/", k_door_file).c_str());
}

}  // namespace trainctl::local
