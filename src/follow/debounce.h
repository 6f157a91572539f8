// Waits until a condition has lasted.
#pragma once

#include <functional>
#include <string>

#include "base/loop/loop.h"

namespace trainctl::job {

// Debounces a condition that counts only once it has lasted: a pod that stays dead, or is kept from
// ending.
class Debounce {
 public:
  explicit Debounce(Loop& loop) : loop_(loop) {}

  // Reports for which replica (`whom`) the condition holds now; "" = none. Calls `act` once that
  // has been the same for `wait`.
  void see(const std::string& whom, Duration wait, std::function<void()> act);
  void forget() { timer_.reset(); }

 private:
  Loop& loop_;
  std::string whom_;
  HandlePtr timer_;
};

}  // namespace trainctl::job
