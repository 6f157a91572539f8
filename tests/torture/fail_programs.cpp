// Lets calls fail that start a program and wait for it; see fail_nth.cpp.
#include <cerrno>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail_nth.h"

extern "C" {

int socketpair(int domain, int type, int protocol, int ends[2]) noexcept {
  static const auto call = real(&socketpair, "socketpair");
  return outcome_of("socketpair", k_no_descriptor) == Outcome::fail
             ? -1
             : call(domain, type, protocol, ends);
}

pid_t fork() noexcept {
  static const auto call = real(&fork, "fork");
  return outcome_of("fork", k_no_descriptor) == Outcome::fail ? -1 : call();
}

// This and the next also stand in the forked child, which tells its parent what failed.
int execvp(const char* program, char* const* arguments) noexcept {
  static const auto call = real(&execvp, "execvp");
  return outcome_of("execvp", k_no_descriptor) == Outcome::fail ? -1 : call(program, arguments);
}

int dup2(int from, int to) noexcept {
  static const auto call = real(&dup2, "dup2");
  return outcome_of("dup2", k_no_descriptor) == Outcome::fail ? -1 : call(from, to);
}

pid_t waitpid(pid_t child, int* status, int options) {
  static const auto call = real(&waitpid, "waitpid");
  return outcome_of("waitpid", k_no_descriptor) == Outcome::fail ? -1
                                                                 : call(child, status, options);
}

// It returns its error.
int posix_spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments,
                char* const* environment) noexcept {
  static const auto call = real(&posix_spawn, "posix_spawn");
  if (outcome_of("posix_spawn", k_no_descriptor) == Outcome::fail) return errno;
  return call(child, program, actions, attributes, arguments, environment);
}

}  // extern "C"
