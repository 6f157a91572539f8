// Debounces a condition that counts only once it has lasted: a pod that stays dead, or is kept from
// ending.
#pragma once

#include <functional>
#include <string>

#include "base/loop/loop.h"
#include "base/text/time.h"

namespace trainctl::job {

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
