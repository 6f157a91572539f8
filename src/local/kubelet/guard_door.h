// The socket where a guard takes orders to run more programs in its container: `exec` of the API.
// They are children of the guard like the container's own, so they are limited with it and end with
// it.
#pragma once

#include <map>

#include <sys/types.h>

#include "base/file/descriptor.h"
#include "local/kubelet/guard.h"

namespace trainctl::local {

class GuardDoor {
 public:
  // `program` is the container's own, whose mounts the others get.
  GuardDoor(const GuardOrder& order, pid_t program);
  // Becomes readable when an order waits; -1 = closed.
  int descriptor() const { return door_.get(); }

  enum class Asked { nothing, program, end_of_input };
  // Takes one order, if one waits.
  Asked serve();
  // A child of the guard has ended.
  void reaped(pid_t pid, int status);
  // Takes no more orders.
  void close();

 private:
  const GuardOrder& order_;
  pid_t program_;
  Descriptor door_;
  std::map<pid_t, Descriptor> running_;  // with the connections that wait for their ends
};

}  // namespace trainctl::local
