// Attempts to run a container, as the daemon sees them: it starts guards, takes up those of a
// former daemon, and learns from their files how things stand.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/loop.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

// What an attempt's files say.
struct AttemptRecord {
  std::optional<ProcessMark> guard;    // alive
  std::optional<ProcessMark> program;  // may have ended
  ino_t output = 0;                    // the pipe from the program to its guard
  std::optional<Time> started;
  std::optional<ContainerExit> exit;
};
AttemptRecord read_attempt(const std::string& directory);

// One attempt while its guard lives. Destroying it lets the guard go on.
class Attempt {
 public:
  virtual ~Attempt() = default;
  virtual const AttemptRecord& record() const = 0;
  // The guard has ended and the exit is on record.
  bool is_over() const { return record().exit.has_value(); }
  virtual void ask_to_end() = 0;  // SIGTERM to the container's program
  virtual void kill() = 0;        // SIGKILL to everything it started
};

// `changed` is called, on a later turn, when the program has started and when all is over.
std::unique_ptr<Attempt> start_attempt(UvLoop& loop, const GuardOrder& order,
                                       std::function<void()> changed);
// For a directory that a former daemon made. nullptr when nothing was ever started there, and
// nothing will be: the attempt can be made again in an empty directory.
std::unique_ptr<Attempt> adopt_attempt(UvLoop& loop, const std::string& directory,
                                       std::function<void()> changed);

}  // namespace trainctl::local
