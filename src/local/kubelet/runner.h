// The daemon's view of attempts to run a container: starts guards, adopts those of a former daemon,
// and reads their state from their files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/loop/loop.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

// The content of an attempt's files.
struct AttemptRecord {
  std::optional<ProcessMark> guard;    // set while the guard lives
  std::optional<ProcessMark> program;  // may have ended
  ino_t output = 0;                    // the pipe from the program to its guard
  std::optional<Time> started;
  std::optional<ContainerExit> exit;
};
AttemptRecord read_attempt(const std::string& directory);

// One attempt while its guard lives. Destroying it does not stop the guard.
class Attempt {
 public:
  virtual ~Attempt() = default;
  virtual const AttemptRecord& record() const = 0;
  // True when the guard has ended and the exit is recorded.
  bool is_over() const { return record().exit.has_value(); }
  virtual void ask_to_end() = 0;  // SIGTERM to the container's program
  virtual void kill() = 0;        // SIGKILL to everything it started
};

// `changed` is called, on a later turn, when the program has started and when the attempt is over.
std::unique_ptr<Attempt> start_attempt(UvLoop& loop, const GuardOrder& order,
                                       std::function<void()> changed);
// Adopts an attempt from a directory of a former daemon. nullptr when nothing was ever started
// there and nothing will be: the attempt can be made again in an empty directory.
std::unique_ptr<Attempt> adopt_attempt(UvLoop& loop, const std::string& directory,
                                       std::function<void()> changed);

}  // namespace trainctl::local
